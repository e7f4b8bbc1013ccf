"""The build that searches are made with, and the program with all mutants behind switches."""
import hashlib
import json
import pathlib
import re
import shlex
import subprocess

root = pathlib.Path(__file__).resolve().parent.parent.parent
comments = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*")', re.S)


def without_comments(path):
    """What the compiler sees of a file, but for macros: neither comments nor line numbers nor white space."""
    return " ".join(comments.sub(lambda m: m[1] or " ", pathlib.Path(path).read_text()).split())


def digest(*texts):
    h = hashlib.sha256()
    for text in texts:
        h.update(str(text).encode() + b"\0")
    return h.hexdigest()[:24]


def digest_of_files(paths):
    return digest(*(f"{pathlib.Path(p).relative_to(root)}:{without_comments(p)}" for p in sorted(paths)))


def seed(besides=()):
    """The same for the same sources, wherever they are and whatever the documents say. `besides`: names of files that do not count."""
    every = [p for folder in ("include", "src", "verify") for p in (root / folder).rglob("*")
             if p.is_file() and p.suffix not in (".md", ".pyc") and p.name not in besides]
    return digest(*(f"{p.relative_to(root)}:{without_comments(p) if p.suffix in ('.hpp', '.cpp') else p.read_text()}" for p in sorted(every)))


def core_files():
    return [p for folder in ("include", "src") for p in (root / folder).rglob("*") if p.suffix in (".hpp", ".cpp")]


def engine_files():
    return [p for folder in ("engine", "platform") for p in (root / "verify" / folder).glob("*.?pp")] + [
        root / "verify" / "main.cpp"]


def scenario_files():
    return sorted((root / "verify" / "scenarios").glob("*.?pp"))


class Build:
    """The commands of the model build."""

    def __init__(self, folder):
        self.folder = folder
        self.verify = folder / "verify" / "verify"
        entries = json.loads((folder / "compile_commands.json").read_text())
        self.sources = [pathlib.Path(e["file"]) for e in entries
                        if "verify_checked.dir" in e["command"] and not pathlib.Path(e["file"]).is_relative_to(folder)]
        self._command = {e["file"]: shlex.split(e["command"]) for e in entries}
        self.words = self._command[str(root / "verify/scenarios/support.cpp")]

    def how(self):
        """The compiler, the headers of the system, and the options for the checked sources and the engine."""
        version = subprocess.run([self.words[0], "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        of_the_engine = self._command[str(root / "verify/engine/explorer.cpp")]
        return [version, self._other_headers(), *(w.replace(str(root), "") for w in (*self.words, *of_the_engine))]

    def _other_headers(self):
        """A digest of the headers that are not the project's, as the build has noted them."""
        noted = subprocess.run(["ninja", "-C", str(self.folder), "-t", "deps"], capture_output=True, text=True, check=True).stdout
        paths = {(self.folder / line.strip()).resolve() for line in noted.splitlines() if line.startswith(" ")}
        return digest(*(f"{p}:{hashlib.sha256(p.read_bytes()).hexdigest()}" for p in sorted(paths)
                        if p.is_file() and not p.is_relative_to(root)))

    def compile(self, source, output, include):
        """A compiler call for `source`, with the core's headers from `include`."""
        result, skip = [], False
        for word in self.words:
            if skip:
                skip = False
            elif word in ("-MD", "-c") or word.startswith("-W"):
                pass
            elif word in ("-MT", "-MF", "-o"):
                skip = True
            elif word == f"-I{root}/include":
                result.append(f"-I{include}")
            elif not word.endswith(".cpp"):
                result.append(word)
        return [*result, "-w", "-c", str(source), "-o", str(output)]

    def object_of(self, source):
        return self.folder / "verify" / "CMakeFiles" / "verify_checked.dir" / pathlib.Path(
            str(source).replace(str(root / "verify") + "/", "").replace(str(root) + "/", "__/") + ".o")


def build_switched(build, mutants, switched, progress, jobs=2):
    """The program with all mutants behind switches. Builds it if it is not there yet."""
    texts = {}
    for mutant in mutants:
        texts.setdefault(mutant.path, []).append(mutant)
    files = {path: switched(path, of) for path, of in texts.items()}
    key = digest(*sorted(files.items()), digest_of_files([*core_files(), *engine_files(), *scenario_files()]))
    folder = build.folder / "generated"
    program = folder / f"verify-{key}"
    if program.exists():
        return program
    progress(f"building {len(mutants)} mutants in one program")
    folder.mkdir(exist_ok=True)
    for old in folder.glob("verify-*"):
        old.unlink()
    for path in core_files():
        to = folder / path.relative_to(root)
        to.parent.mkdir(parents=True, exist_ok=True)
        text = files.get(str(path.relative_to(root)))
        to.write_text(path.read_text() if text is None else text)
    # One piece: that is quicker than one after the other.
    apart = [s for s in build.sources if "/topology/" in str(s) or "/litmus/" in str(s)]
    pieces = {"core": [folder / s.relative_to(root) for s in build.sources if s.is_relative_to(root / "src") and s not in apart],
              "scenarios": [s for s in build.sources if not s.is_relative_to(root / "src") and s not in apart]}
    objects = [build.object_of(s) for s in apart]
    running = []
    for name, sources in pieces.items():
        one = folder / f"{name}.cpp"
        one.write_text("".join(f'#include "{s}"\n' for s in sources))
        objects.append(folder / f"{name}.o")
        running.append(subprocess.Popen(build.compile(one, objects[-1], folder / "include"), stderr=subprocess.PIPE, text=True))
        running[-1].wait() if jobs == 1 else None
    for process in running:
        _, error = process.communicate()
        if process.returncode != 0:
            raise SystemExit("the mutants do not build:\n" + error[:4000])
    main = build.folder / "verify/CMakeFiles/verify.dir/main.cpp.o"
    subprocess.run([build.words[0], str(main), *map(str, objects), str(build.folder / "verify/libverify_engine.a"), "-lfmt",
                    "-o", str(program)], check=True)
    return program
