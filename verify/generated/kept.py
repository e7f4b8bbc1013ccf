"""Results that are kept between runs, each under a digest of what it depends on."""
import json
import os
import re
import threading

from program import Build, core_files, digest, digest_of_files, engine_files, root, scenario_files, without_comments


class Kept:
    def __init__(self, path):
        self.path = path
        self._lock = threading.Lock()
        self._all = {}
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                    self._all[entry["name"]] = entry
                except (json.JSONDecodeError, KeyError):
                    pass  # cut off by an interruption

    def get(self, name, key):
        entry = self._all.get(name)
        return entry if entry is not None and entry["key"] == key else None

    def find(self, name):
        return self._all.get(name)

    def put(self, name, key, **what):
        """At once, so that an interruption loses nothing."""
        entry = {"name": name, "key": key, **what}
        with self._lock:
            self._all[name] = entry
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as out:
                out.write(json.dumps(entry) + "\n")
                out.flush()
                os.fsync(out.fileno())
        return entry


class Digests:
    """Of what results depend on: the sources, and how they are compiled."""

    def __init__(self, build):
        self.core = digest_of_files(core_files())
        self.engine = digest(digest_of_files(engine_files()), *Build(build).how())
        folder = root / "verify" / "scenarios"
        texts = {p.name: without_comments(p) for p in scenario_files()}
        # scenarios.hpp only declares all of them: a new one changes nothing for the others.
        common = digest(*(texts[n] for n in sorted(texts)
                          if n != "scenarios.hpp" and (n.startswith(("support", "monitor")) or n.endswith(".hpp"))))
        self.scenarios = {}
        self.homes = {}  # of each scenario the files that define it
        for row in re.finditer(r'{"([a-z0-9-]+)", (?:"[^"]*" ?)+, &(\w+),.*?}(?=, {"|, };)', texts["scenarios.cpp"]):
            self.homes[row[1]] = [n for n, t in texts.items()
                                  if n.endswith(".cpp") and n != "scenarios.cpp" and f"void {row[2]}()" in t]
            self.scenarios[row[1]] = digest(common, row[0], *(texts[n] for n in self.homes[row[1]]))
        self.all_scenarios = digest(*sorted(self.scenarios.items()))

    def of(self, variant):
        """What a search of that variant depends on, but for its options."""
        return digest(self.core, self.engine, self.scenarios.get(variant.split("/")[0], "?"))
