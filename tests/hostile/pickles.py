"""Pickles in files of PyTorch.

The tricks are those of the test suites of picklescan, fickling and modelscan, written anew from opcodes; the names in
CALLED are facts from the same suites and from the advisories that they cite.
"""

import pickle
import struct

from cases import EXECUTED, case, model_with, set_flags, zip_bytes

GROUP = "Pickles"
PICKLESCAN = "picklescan"
FICKLING = "fickling"
MODELSCAN = "modelscan"
SLAVIERO = "Sour Pickles"
PYTHON = "pickletools"
REFUSED = ", which no state dict needs: refused; save model.state_dict() alone"
COMMAND = b"touch " + EXECUTED.encode()

# One module and function for each way to run code that the suites contain.
CALLED = """
os.system posix.system nt.system os.popen os.execv subprocess.Popen subprocess.run subprocess.check_output
commands.getoutput pty.spawn builtins.eval builtins.exec builtins.compile builtins.__import__ builtins.getattr
builtins.open builtins.breakpoint builtins.apply builtins.globals __builtin__.eval __builtin__.exec __builtin__.execfile
__builtin__.apply __builtin__.getattr __builtin__.globals runpy._run_code runpy.run_path bdb.Bdb bdb.Bdb.run
pdb.run asyncio.create_subprocess_shell asyncio.unix_events._UnixSubprocessTransport._start pip.main
pip._internal.cli.main.main ensurepip._run_pip venv.create code.InteractiveInterpreter.runcode code.interact
codeop.compile_command doctest.debug_script timeit.timeit cProfile.run cProfile.runctx profile.run profile.Profile.run
profile.Profile.runctx trace.Trace.run trace.Trace.runctx pydoc.locate pydoc.pipepager pkgutil.resolve_name
importlib.import_module imp.load_source zipimport.zipimporter marshal.loads types.CodeType types.FunctionType
ctypes.CDLL multiprocessing.util.spawnv_passfds _posixsubprocess.fork_exec _osx_support._read_output
_osx_support._find_build_tool _aix_support._read_cmd_output _pyrepl.pager.pipe_pager uuid._get_command_stdout
imaplib.IMAP4_stream test.support.script_helper.assert_python_ok distutils.file_util.write_file logging.FileHandler
_io.FileIO io.FileIO io.open codecs.open shutil.rmtree shutil.copyfile pathlib.Path.write_text webbrowser.open
socket.create_connection ssl.get_server_certificate http.client.HTTPSConnection httplib.HTTPSConnection
urllib.request.urlopen requests.api.get aiohttp.client.ClientSession smtplib.SMTP ftplib.FTP telnetlib.Telnet
xmlrpc.client.ServerProxy linecache.getline sys.exit sys.modules sys.settrace functools.partial functools.reduce
operator.attrgetter operator.methodcaller operator.itemgetter _operator.attrgetter _operator.methodcaller
pickle.loads _pickle.loads cPickle.loads dill._dill._load_type cloudpickle.cloudpickle._make_function
cloudpickle.cloudpickle.subimport cloudpickle.cloudpickle._builtin_type joblib.load pandas.read_pickle
pandas.eval numpy.load numpy.f2py.crackfortran.getlincoef numpy.f2py.crackfortran._eval_length
numpy.testing._private.utils.runstring torch.load torch.hub.load torch.serialization.load torch.jit.load
torch.ops.load_library torch._inductor.codecache.compile_file torch._dynamo.guards.GuardBuilder.get
torch.fx.experimental.symbolic_shapes.ShapeEnv.evaluate_guards_expression torch.fx.graph_module._forward_from_src
torch.jit.unsupported_tensor_ops.execWrapper torch.utils._config_module.ConfigModule.load_config
torch.utils.bottleneck.__main__.run_cprofile torch.utils.bottleneck.__main__.run_autograd_prof
torch.utils.collect_env.run torch.utils.collect_env.run_and_read_all
torch.utils.data.datapipes.utils.decoder.basichandlers idlelib.autocomplete.AutoComplete.get_entity
idlelib.autocomplete.AutoComplete.fetch_completions idlelib.calltip.Calltip.fetch_tip idlelib.calltip.get_entity
idlelib.debugobj.ObjectTreeItem.SetText idlelib.pyshell.ModifiedInterpreter.runcode
idlelib.pyshell.ModifiedInterpreter.runcommand idlelib.run.Executive.runcode lib2to3.pgen2.grammar.Grammar.loads
lib2to3.pgen2.pgen.ParserGenerator.make_label _xxsubinterpreters.run_string _interpreters.exec
signal.signal threading.Thread _thread.start_new_thread gc.get_objects inspect.getattr_static site.addpackage
""".split()
# Names with a dot within the class: the module ends before the first capital letter or "_Unix".
CLASSES = (
    "Bdb.",
    "InteractiveInterpreter.",
    "Profile.",
    "Trace.",
    "Path.",
    "GuardBuilder.",
    "ShapeEnv.",
    "ConfigModule.",
    "AutoComplete.",
    "Calltip.",
    "ObjectTreeItem.",
    "ModifiedInterpreter.",
    "Executive.",
    "Grammar.",
    "ParserGenerator.",
    "_UnixSubprocessTransport.",
)


def split_name(dotted):
    """Divides module and name: ("bdb", "Bdb.run")."""
    for name in CLASSES:
        if "." + name in dotted:
            at = dotted.index("." + name)
            return dotted[:at], dotted[at + 1 :]
    return tuple(dotted.rsplit(".", 1))


def text(string):
    """SHORT_BINUNICODE."""
    data = string.encode()
    return b"\x8c" + bytes([len(data)]) + data


def archive(data, name="archive/data.pkl"):
    """A file of torch.save() with this pickle."""
    return zip_bytes([(name, data), ("archive/byteorder", "little"), ("archive/version", "3\n")])


def hostile(trick, source, data, says=None):
    """A case whose weights are a zip archive of PyTorch with this pickle."""
    raw(trick, source, archive(data), says)


def raw(trick, source, data, says=None):
    """A case whose weights are these bytes."""
    case(GROUP, trick, source, model_with({"pytorch_model.bin": data}, without=("*.safetensors",)), says=says)


def add_calls():
    """Each name by GLOBAL of protocol 2 and by STACK_GLOBAL of protocol 4."""
    for dotted in CALLED:
        module, name = split_name(dotted)
        call = text(COMMAND.decode()) + b"\x85R."
        says = f"m/pytorch_model.bin: the pickle asks for {dotted}{REFUSED}"
        hostile(dotted, PICKLESCAN, b"\x80\2c" + f"{module}\n{name}\n".encode() + call, says)
        hostile(dotted, PICKLESCAN, b"\x80\4" + text(module) + text(name) + b"\x93" + call, says)


def add_opcodes():
    """Ways to name and to call a function."""
    system = b"cposix\nsystem\n"
    argument = text(COMMAND.decode())
    hostile(
        "A function is called by `GLOBAL` and `REDUCE`, protocol 2",
        PICKLESCAN,
        b"\x80\2" + system + argument + b"\x85R.",
    )
    hostile("A function is called by the text opcodes of protocol 0", PICKLESCAN, system + b"(S'" + COMMAND + b"'\ntR.")
    hostile(
        "The name comes from `STACK_GLOBAL`, protocol 4",
        PICKLESCAN,
        b"\x80\4" + text("posix") + b"\x94" + text("system") + b"\x94\x93" + argument + b"\x85R.",
    )
    hostile(
        "The strings of `STACK_GLOBAL` come from the memo, in another order than they were stored",
        PICKLESCAN,
        b"\x80\4"
        + text("system")
        + b"q\0"
        + b"0"
        + text("torch")
        + b"q\1"
        + b"0"
        + text("os")
        + b"q\2"
        + b"0"
        + b"h\2h\0\x93"
        + argument
        + b"\x85R.",
    )
    hostile(
        "The memo is used by the text opcodes `PUT` and `GET`",
        PICKLESCAN,
        b"Vos\np2\n0Vsystem\np3\n0g2\ng3\n\x93(V" + COMMAND + b"\ntR.",
    )
    hostile(
        "The strings of `STACK_GLOBAL` are `STRING`s of protocol 0, GHSA-9gvj-pp9x-gcfr",
        PICKLESCAN,
        b"S'os'\nS'system'\n\x93S'ls'\n\x85R.",
    )
    hostile("The name is hidden by escapes in a `STRING`", PYTHON, b"\x80\2S'\\x6f\\x73'\nS'\\x73ystem'\n\x93.")
    hostile(
        "The function is called first; then `STACK_GLOBAL` gets a missing memo",
        PICKLESCAN,
        b"\x80\4cos\nsystem\n" + argument + b"\x85R0" + text("os") + b"\x94h\3h\0\x93K\x42.",
    )
    hostile(
        "`STACK_GLOBAL` gets a number in place of a name",
        PICKLESCAN,
        b"\x80\4J\x2a\0\0\0\x94" + text("os") + b"\x94\x93K\x42.",
    )
    hostile("`STACK_GLOBAL` gets a missing memo", PICKLESCAN, b"\x80\4h\3" + text("os") + b"\x93.")
    hostile("`INST` names and calls a function in one opcode", SLAVIERO, b"(" + argument + b"i__builtin__\nexec\n.")
    hostile("`OBJ` calls a function that is on the stack", FICKLING, b"(" + system + argument + b"o.")
    hostile(
        "The result of `OBJ` is removed by `POP`, GHSA-mxhj-88fx-4pcv", FICKLING, b"(" + system + argument + b"o0}."
    )
    hostile("`NEWOBJ` calls a function in place of a class", PYTHON, b"\x80\2" + system + argument + b"\x85\x81.")
    hostile(
        "`NEWOBJ_EX` calls a function in place of a class",
        PYTHON,
        b"\x80\4csubprocess\nPopen\n" + argument + b"\x85}\x92.",
    )
    hostile(
        "`BUILD` gives a dict the method `__setstate__`",
        PYTHON,
        b"\x80\2ccollections\nOrderedDict\n)R}" + text("__setstate__") + b"cos\nsystem\nsb" + argument + b"b.",
    )
    hostile(
        "`BUILD` changes the attributes of an allowed function", PYTHON, b"\x80\2ctorch._utils\n_rebuild_tensor_v2\n}b."
    )
    hostile("`EXT1` takes a function from the extension registry", PYTHON, b"\x80\2\x82\1)R.")
    hostile(
        "`EXT4` takes a function from the extension registry, too",
        PYTHON,
        b"\x80\2\x84\1\0\0\0)R.",
    )
    hostile("`PERSID` gives a persistent id as text", PYTHON, b"\x80\2Pos.system\n.")
    hostile(
        "`BINPERSID` gets a function in place of a storage",
        PYTHON,
        b"\x80\2(" + text("storage") + system + text("0") + text("cpu") + b"K\1tQ.",
    )
    hostile(
        "A dotted name leads from an allowed module to another module",
        FICKLING,
        b"\x80\4" + text("torch") + text("hub.os.system") + b"\x93" + argument + b"\x85R.",
    )
    hostile(
        "A dotted name leads from an allowed class to the globals of the class",
        FICKLING,
        b"\x80\4" + text("collections") + text("OrderedDict.__init__.__globals__") + b"\x93.",
    )
    hostile("Python's dict of modules is changed", PICKLESCAN, b"\x80\2csys\nmodules\nq\0" + text("sys") + b"h\0s.")
    hostile(
        "A pickle within a pickle is loaded",
        PICKLESCAN,
        b"\x80\4" + text("_pickle") + text("loads") + b"\x93C\x08I12345\n.\x85R.",
    )
    hostile(
        "`torch.load` reads a second file without `weights_only`",
        PICKLESCAN,
        b"\x80\4cfunctools\npartial\nctorch.serialization\nload\n" + text("config.json") + b"\x86R.",
    )
    hostile("A name differs from an allowed name by a space", PYTHON, b"\x80\2ctorch\nFloatStorage \n.")
    hostile("The name of a function is not UTF-8", PICKLESCAN, b"cmod\n\xf8\n.")
    hostile("The name of a module contains a NUL", PYTHON, b"\x80\2ctorch\0\nFloatStorage\n.")


def add_streams():
    """What is before, after and around the payload."""
    call = b"cposix\nsystem\n" + text(COMMAND.decode()) + b"\x85R"
    hostile("The payload comes before a valid dict, and its result is removed", MODELSCAN, b"\x80\2" + call + b"0}.")
    hostile("The payload is a value of a valid dict", MODELSCAN, b"\x80\2}" + text("w") + call + b"s.")
    hostile("The payload comes after the dict, before `STOP`", MODELSCAN, b"\x80\2}" + call + b"0.")
    hostile("A second pickle with the payload follows `STOP`", PICKLESCAN, b"\x80\2}.\x80\2" + call + b".")
    hostile("The pickle breaks off after the call", PICKLESCAN, b"cbuiltins\nexec\n(X\x3e\0\0\0f = open")
    hostile("`PROTO` names a protocol that does not exist", PYTHON, b"\x80\xff" + call + b".")
    hostile("Opcodes of protocol 4 are used in protocol 0", PYTHON, b"\x80\0" + text("os") + text("system") + b"\x93.")
    hostile("A second `PROTO` is in the middle of the pickle", PYTHON, b"\x80\2]\x80\4cos\nsystem\n.")
    hostile("A frame is longer than the file", PYTHON, b"\x80\4\x95" + struct.pack("<Q", 1 << 62) + call + b".")
    hostile("A frame ends within an opcode", FICKLING, b"\x80\4\x95" + struct.pack("<Q", 3) + call + b".")
    raw(
        "The magic number of the old format is the result of `eval`",
        PICKLESCAN,
        b"\x80\2c__builtin__\neval\n"
        + text("0x1950A86A20F9469CFC6C")
        + b"\x85R."
        + pickle.dumps(1001, 2)
        + pickle.dumps({}, 2)
        + pickle.dumps([], 2)
        + b"\x80\2"
        + call
        + b".",
    )
    raw(
        "The payload is in the fifth pickle of the old format",
        PICKLESCAN,
        pickle.dumps(0x1950A86A20F9469CFC6C, 2)
        + pickle.dumps(1001, 2)
        + pickle.dumps(
            {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}, 2
        )
        + b"\x80\2"
        + call
        + b".",
    )
    raw("The weights are a pickle that torch.save did not write", PICKLESCAN, b"\x80\4" + call + b".")
    raw("The payload is in a pickle that joblib compressed", MODELSCAN, b"\x78\x9c" + bytes(40))


def add_bombs():
    """Small pickles that need much memory or time."""
    laughs = (
        b"\x80\2]q\0"
        + b"".join(b"](" + b"h" + bytes([i]) + (b"h" + bytes([i])) * 9 + b"eq" + bytes([i + 1]) for i in range(40))
        + b"."
    )
    hostile("40 lists, each with ten references to the list before", FICKLING, laughs)
    hostile("`DUP` doubles what is on the stack", FICKLING, b"\x80\2]" + b"2" * 100000 + b".")
    hostile("300,000 lists are nested", FICKLING, b"\x80\2" + b"]" * 300000 + b"a" * 299999 + b".")
    hostile("The pickle is a million `MARK` opcodes", FICKLING, b"\x80\2" + b"(" * 1000000 + b".")
    hostile("A list contains itself", FICKLING, b"\x80\2]q\0h\0a.")
    hostile("A dict contains itself", FICKLING, b"\x80\2}q\0" + text("state_dict") + b"h\0s.")
    hostile("A number claims two billion bytes", PYTHON, b"\x80\2\x8b\xff\xff\xff\x7f1.")
    hostile("A number claims a negative length", PYTHON, b"\x80\2\x8b\xff\xff\xff\xff1.")
    hostile("A text claims 2^63 bytes", PYTHON, b"\x80\4\x8d" + struct.pack("<Q", 1 << 63) + b"a.")
    hostile("The last of 2^32 possible memos is set", PYTHON, b"\x80\2]r\xff\xff\xff\xff.")
    hostile("`NEXT_BUFFER` asks for bytes outside of the pickle", PYTHON, b"\x80\5\x97.")


def add_archives():
    """The zip archive around the pickle, or what is there in its place."""
    data = b"\x80\2cposix\nsystem\n" + text(COMMAND.decode()) + b"\x85R."
    good = archive(data)
    for bit in (0x1, 0x20, 0x40):
        raw(
            f"The flags of the archive have bit 0x{bit:x}, with which Python's zipfile refuses it",
            PICKLESCAN,
            set_flags(good, bit),
        )
    raw(
        "The name in the directory of the archive differs from the name before the data",
        PICKLESCAN,
        good.replace(b"data.pkl", b"datap.kl", 1),
    )
    raw("The checksum of the pickle is wrong", PICKLESCAN, good.replace(b"system", b"sYstem"))
    raw("The entry with the pickle is named data.txt, not data.pkl", PICKLESCAN, archive(data, "archive/data.txt"))
    raw("The archive contains another archive", FICKLING, zip_bytes([("archive/data.zip", good)]))
    raw("Data are in front of the archive", FICKLING, b"\x89PNG\r\n\x1a\n" + good)
    raw("The archive is a 7z archive", PICKLESCAN, b"7z\xbc\xaf\x27\x1c" + bytes(100))
    raw("The file is a picture", PICKLESCAN, b"\x89PNG\r\n\x1a\n" + bytes(100))
    raw("The archive is a tar archive", FICKLING, b"pickle".ljust(257, b"\0") + b"ustar\x0000" + bytes(1000))
    raw(
        "The archive ends with two directories, one in the comment of the other",
        FICKLING,
        good[:-2] + struct.pack("<H", len(good)) + good,
    )


add_opcodes()
add_streams()
add_bombs()
add_archives()
add_calls()
