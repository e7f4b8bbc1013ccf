"""The core as the compiler sees it: its functions, their operations on the seam, and who calls whom.

The sources that the model checker runs are parsed in one piece, with libclang. Positions are offsets into the files.
"""
import dataclasses
import functools
import json
import pathlib
import sys

try:
    import clang.cindex as clang
except ImportError:
    sys.exit("the Python bindings of libclang are missing: apt-get install python3-clang-19")

from program import root

Kind = clang.CursorKind

function_kinds = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.FUNCTION_TEMPLATE,
                  Kind.CONVERSION_FUNCTION}
atomic_operations = {"load", "store", "exchange", "compare_exchange", "compare_exchange_weak", "fetch_add", "fetch_sub",
                     "fetch_or", "fetch_and"}
orders = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"}
# A whole loop or join comes to an end before it returns. Which of two comes first is a matter of the algorithm around them, not of the seam.
closed = {"run_loop", "join"}
seam_functions = {"fence_light", "fence_seq_cst", "fence_process", "park", "unpark_one", "unpark_all"}


def checked_sources(build):
    """The .cpp files of the core that are part of the model, from the build's own list."""
    entries = json.loads((build / "compile_commands.json").read_text())
    return sorted({pathlib.Path(e["file"]) for e in entries
                   if "verify_checked.dir" in e["command"] and pathlib.Path(e["file"]).is_relative_to(root / "src")})


@dataclasses.dataclass
class Operation:
    """A call of the seam."""
    path: str  # of the file, from the root
    line: int
    column: int  # of the parenthesis behind the name, as std::source_location has it
    start: int
    end: int
    name: str  # load, fence_seq_cst, park ...
    arguments: list  # (start, end) of each that is written
    cursor: object
    function: "Function" = None

    @property
    def text(self):
        return squeeze(source(self.path)[self.start:self.end])


@dataclasses.dataclass
class Function:
    path: str
    name: str  # with the classes around it
    start: int
    end: int
    cursor: object
    usr: str
    operations: list = dataclasses.field(default_factory=list)
    calls: list = dataclasses.field(default_factory=list)  # (start, end, usr of the called function)
    guards: list = dataclasses.field(default_factory=list)  # (start, end) of each std::lock_guard that is declared
    reaches_seam: bool = False


def squeeze(text):
    return " ".join(text.split())


@functools.lru_cache(maxsize=None)
def source(path):
    return (root / path).read_bytes().decode()


def span(cursor):
    return cursor.extent.start.offset, cursor.extent.end.offset


class Core:
    def __init__(self, build):
        self.functions = []
        self._paths = {}
        text = "".join(f'#include "{p}"\n' for p in checked_sources(build)) + "#include <dozer/dozer.hpp>\n"
        arguments = ["-std=c++20", "-DDOZER_PLATFORM_MODEL", "-DNDEBUG", f"-I{root}/include", f"-I{root}/verify/platform"]
        self.unit = clang.Index.create().parse("all.cpp", args=arguments, unsaved_files=[("all.cpp", text)])
        wrong = [d for d in self.unit.diagnostics if d.severity >= clang.Diagnostic.Error]
        if wrong:
            sys.exit("libclang cannot read the sources: " + str(wrong[0]))
        for cursor in self.unit.cursor.get_children():
            if self.path_of(cursor) is not None:
                self._walk(cursor, None, "")
        self._spread()
        self.functions.sort(key=lambda f: (f.path, f.start))

    def path_of(self, cursor):
        """From the root, if it is a file of the core."""
        file = cursor.location.file
        if file is None:
            return None
        if file.name not in self._paths:
            path = pathlib.Path(file.name)
            inside = path.is_relative_to(root / "include") or path.is_relative_to(root / "src")
            self._paths[file.name] = str(path.relative_to(root)) if inside else None
        return self._paths[file.name]

    def _walk(self, cursor, function, scope):
        kind = cursor.kind
        if kind in function_kinds and function is None and cursor.is_definition():
            start, end = span(cursor)
            function = Function(self.path_of(cursor), _qualified(cursor), start, end, cursor, cursor.get_usr())
            if cursor.location.file is not None and function.path is not None:
                self.functions.append(function)
        elif kind == Kind.CALL_EXPR and function is not None:
            self._call(cursor, function)
        elif kind == Kind.VAR_DECL and function is not None and "lock_guard" in cursor.type.spelling:
            function.guards.append(span(cursor))
        for child in cursor.get_children():
            self._walk(child, function, scope)

    def _call(self, cursor, function):
        target = cursor.referenced
        if target is None:
            self._dependent_call(cursor, function)
            return
        of = target.semantic_parent.spelling if target.semantic_parent is not None else ""
        is_atomic = of == "atomic" and target.spelling in atomic_operations
        if is_atomic or (of == "detail" and target.spelling in seam_functions):
            self._operation(cursor, function, target.spelling, cursor.get_arguments())
        else:
            function.calls.append((*span(cursor), target.get_usr(), target.spelling))
            template = clang.conf.lib.clang_getSpecializedCursorTemplate(target)
            if template is not None and not template.kind.is_invalid():
                function.calls.append((*span(cursor), template.get_usr(), target.spelling))

    def _operation(self, cursor, function, name, arguments):
        start, end = span(cursor)
        written = [span(a) for a in arguments if a is not None and span(a)[1] > span(a)[0]
                   and span(a)[0] >= start and span(a)[1] <= end]
        place = next(cursor.get_children()).extent.end
        function.operations.append(Operation(function.path, place.line, place.column, start, end, name, written, cursor, function))

    def _dependent_call(self, cursor, function):
        """A call in a template that only an instance resolves: an atomic's by its name and order, a function's by all of that name."""
        children = list(cursor.get_children())
        if not children:
            return
        callee, arguments = children[0], children[1:]
        name = [t.spelling for t in callee.get_tokens()][-1:]
        if callee.kind == Kind.MEMBER_REF_EXPR and name and name[0] in atomic_operations and any(
                a.kind == Kind.DECL_REF_EXPR and a.spelling in orders for a in arguments):
            self._operation(cursor, function, name[0], arguments)
            return
        for named in callee.get_children():
            if named.kind == Kind.OVERLOADED_DECL_REF:
                for i in range(clang.conf.lib.clang_getNumOverloadedDecls(named)):
                    target = clang.conf.lib.clang_getOverloadedDecl(named, i)
                    if self.path_of(target) is not None:
                        function.calls.append((*span(cursor), target.get_usr(), target.spelling))

    def _spread(self):
        """A function reaches the seam if one that it calls does."""
        by_usr = {}
        for f in self.functions:
            by_usr.setdefault(f.usr, []).append(f)
        self.steps = {usr for usr, fs in by_usr.items() if any(f.operations or f.guards for f in fs)}
        self.reaching = set(self.steps)
        changed = True
        while changed:
            more = {f.usr for f in self.functions if f.usr not in self.reaching
                    and any(usr in self.reaching and name not in closed for *_, usr, name in f.calls)}
            self.reaching |= more
            changed = bool(more)
        for f in self.functions:
            f.reaches_seam = f.usr in self.reaching

    @property
    def operations(self):
        return [o for f in self.functions for o in f.operations]


def _qualified(cursor):
    names = [cursor.spelling.split("<")[0]]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind in (Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE,
                                                 Kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION):
        names.insert(0, parent.spelling)
        parent = parent.semantic_parent
    return "::".join(names)
