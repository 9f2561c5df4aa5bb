"""`python -m dragoman` runs the program."""

from ._program import main

if __name__ == "__main__":
    main()
