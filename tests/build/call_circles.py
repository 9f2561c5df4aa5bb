#!/usr/bin/env python3
"""call_circles.py NM FOLDER [MOST] - print the circles of calls with more than MOST files (default: 1)

A file calls another one if its object uses a symbol that only the other one defines. Files that call each other,
directly or through others, are a circle. FOLDER holds the objects of a build; NM is the command that lists symbols.
"""

import pathlib
import subprocess
import sys


def symbols(nm, objects):
    """Return a dictionary from each defined symbol to its objects, and one from each object to the symbols it uses."""
    defined, used, current = {}, {}, None
    for line in subprocess.run([nm, "-P", "-g", *map(str, objects)], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.endswith(":"):
            current = line[:-1]
            used[current] = set()
            continue
        name, kind = line.split()[:2]
        if kind in "Uwv":
            used[current].add(name)
        else:
            defined.setdefault(name, []).append(current)
    return defined, used


def circles(edges):
    """Return the strongly connected components with Tarjan's algorithm, without recursion."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(edges[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = set()
                    while node not in part:
                        part.add(stack.pop())
                    on_stack -= part
                    found.append(part)
    return found


def main():
    nm, folder = sys.argv[1:3]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    root = pathlib.Path(folder)
    objects = [p for p in sorted(root.rglob("*.o")) if p.relative_to(root).parts[0] not in ("tests", "scripts", "fuzz", "sanitize")
               and pathlib.Path(*p.relative_to(root).parts).with_suffix("").exists()]
    defined, used = symbols(nm, objects)
    edges = {name: {defined[s][0] for s in uses if len(defined.get(s, ())) == 1} - {name} for name, uses in used.items()}
    for circle in circles(edges):
        if len(circle) > most:
            print(len(circle), *sorted(str(pathlib.Path(name).relative_to(root).with_suffix("")) for name in circle))


if __name__ == "__main__":
    main()
