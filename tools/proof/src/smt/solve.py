"""Asks SMT solvers. In: a folder of scripts `*.smt2`, the seconds for each question, and the names
of the solvers in their order: a second one checks what the first answers, the last one helps where
none does. Out: for each script its name, an empty cell, the solvers that prove it (or `- ` and why
none does, or for which numbers of v0, v1, ... it is false) and the longest of their milliseconds."""

import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path


def number(value):
    return str(int(value.value())) if value.sort().is_bool() else value.value(16)


def ask_bitwuzla(script, seconds, names):
    import bitwuzla
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(seconds * 1000))
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    terms = bitwuzla.TermManager()
    parser = bitwuzla.Parser(terms, options)
    declared = script.replace("(check-sat)\n", "")
    parser.parse(declared, True, False)
    solver = parser.bitwuzla()
    answer = str(solver.check_sat()).lower()
    model = []
    if answer == "sat":
        by_name = {term.symbol(): term for term in parser.get_declared_funs()}
        model = [number(solver.get_value(by_name[name])) for name in names]
    return answer, model


def ask_z3(script, seconds, names):
    import z3
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", int(seconds * 1000))
    solver.from_string(script)
    answer = str(solver.check())
    return answer, []


def ask_cvc5(script, seconds, names):
    import cvc5
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    solver.setOption("fp-exp", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "question")
    answer = "unknown"
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer, []
        answer = str(command.invoke(solver, parser.getSymbolManager())).strip() or answer


# Seconds for a question that another solver answered.
SECOND = 1
SOLVERS = {"bitwuzla": ask_bitwuzla, "cvc5": ask_cvc5, "z3": ask_z3}


def ask(task):
    path, seconds, order = task
    script = path.read_text()
    names = re.findall(r"declare-const ([vp]\d+) ", script)
    proven, longest, why = [], 0, ""
    for name in order:
        if len(proven) == 2 or proven and name == order[-1]:
            break
        start = time.monotonic()
        try:
            limit = min(seconds, SECOND) if proven else seconds
            answer, model = SOLVERS[name](script, limit, names)
        except Exception as error:  # A solver that cannot read a script has not answered.
            answer, model = "error " + " ".join(str(error).split())[:80], []
        time_taken = round((time.monotonic() - start) * 1000)
        if answer == "sat":
            numbers = ",".join(f"{n}={m}" for n, m in zip(names, model))
            return path.stem, "", "- false for " + numbers, time_taken
        if answer == "unsat":
            proven.append(name)
            longest = max(longest, time_taken)
        why = why or answer
    return path.stem, "", "+".join(proven) or "- " + why, longest


def main():
    folder, seconds, order = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3].split(",")
    tasks = [(path, seconds, order) for path in sorted(folder.glob("*.smt2"))]
    with ProcessPoolExecutor() as processes:
        for answer in processes.map(ask, tasks):
            print(*answer, sep="\t")


if __name__ == "__main__":
    main()
