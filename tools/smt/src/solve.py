"""Asks SMT solvers. In: a folder of scripts `*.smt2`, the seconds for each question, and the names
of the solvers in their order: a second one checks what the first answers, the last one helps where
none does. Out: lines `file<TAB>solver<TAB>answer
<TAB>milliseconds<TAB>model`, the model as numbers of the variables v0, v1, …"""

import re
import sys
import time
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


def main():
    folder, seconds, order = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3].split(",")
    for path in sorted(folder.glob("*.smt2")):
        script = path.read_text()
        names = re.findall(r"declare-const ([vp]\d+) ", script)
        answers = 0
        for name in order:
            if answers and name == order[-1]:
                break
            start = time.monotonic()
            try:
                limit = min(seconds, SECOND) if answers else seconds
                answer, model = SOLVERS[name](script, limit, names)
            except Exception as error:  # A solver that cannot read a script has not answered.
                answer, model = "error " + " ".join(str(error).split())[:80], []
            time_taken = round((time.monotonic() - start) * 1000)
            numbers = ",".join(f"{n}={m}" for n, m in zip(names, model))
            print(path.stem, name, answer, time_taken, numbers, sep="\t", flush=True)
            answers += answer in ("sat", "unsat")
            if answers == 2 or answer == "sat":
                break


main()
