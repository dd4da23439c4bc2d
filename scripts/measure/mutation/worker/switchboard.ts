import { SWITCH } from "../instrument.ts";

/** Far above what any test asks in a loop that ends. */
const SPARE_QUERIES = 2_000_000;

/** What the instrumented sources ask which mutant is active. */
export type Switchboard = {
  /** The number of the active mutant; −1: none. */
  active: number;
  /** Mutants whose code was reached. */
  reached: Set<number>;
  /** How often sources asked. Beyond the limit they throw: the mutant made a loop endless. */
  queries: number;
  limit: number;
};

/** Sets up the global function that instrumented sources call. */
export function installSwitchboard(active: number): Switchboard {
  const board: Switchboard = { active, reached: new Set(), queries: 0, limit: Number.POSITIVE_INFINITY };
  Reflect.set(globalThis, SWITCH, (id: number): boolean => {
    board.queries += 1;
    if (board.queries > board.limit) throw new Error("the mutant does not end");
    board.reached.add(id);
    return id === board.active;
  });
  return board;
}

/** Starts counting from zero, up to a multiple of what is usual. */
export function resetQueries(board: Switchboard, usual: number): void {
  board.reached = new Set();
  board.queries = 0;
  board.limit = usual * 50 + SPARE_QUERIES;
}
