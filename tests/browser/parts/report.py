"""What was found: faults end the run with 1, figures are told."""


class Report:
    def __init__(self):
        self.faults, self.figures = [], []

    def check(self, holds, where, fault):
        if not holds:
            self.faults.append(f"{where}: {fault}")

    def tell(self, what, value, limit="", holds=None):
        """A figure. With `holds` it is judged: only what no other work on this machine can change."""
        self.figures.append((what, value, limit))
        print(f"{what}: {value}" + (f" (limit: {limit})" if limit else ""), flush=True)
        if holds is not None:
            self.check(holds, what, f"{value}, and the limit is {limit}")

    def close(self):
        for fault in dict.fromkeys(self.faults):
            print("fault:", fault)
        return 1 if self.faults else 0
