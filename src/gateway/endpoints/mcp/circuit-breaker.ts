/** So many failures in a row open the circuit. */
const FAILURES_TO_OPEN = 5;
const [FIRST_REST_MS, LONGEST_REST_MS] = [10_000, 300_000];

/** `account`: the only one whose calls have failed; null: several. */
type Circuit = {
  failures: number;
  restMs: number;
  closedUntilMs: number;
  isTrying: boolean;
  account: number | null;
};

/**
 * Keeps calls from servers that fail again and again: after some failures in a row nothing is sent for a while, then one call tries.
 * Each failed try doubles the rest. Where all failures are those of one account, the others' calls are sent: what an account asks a server for
 * may be what fails.
 */
export class CircuitBreaker {
  readonly #circuits = new Map<number, Circuit>();

  constructor(private readonly now: () => number) {}

  /** Milliseconds until a call may be sent; 0: it may, and must report how it went. */
  enter(id: number, account: number): number {
    const circuit = this.#circuits.get(id);
    if (!circuit || circuit.failures < FAILURES_TO_OPEN) return 0;
    if (circuit.account !== null && circuit.account !== account) return 0;
    const waitMs = circuit.closedUntilMs - this.now();
    if (waitMs > 0) return waitMs;
    if (circuit.isTrying) return FIRST_REST_MS;
    circuit.isTrying = true;
    return 0;
  }

  succeeded(id: number): void {
    this.#circuits.delete(id);
  }

  /** Nobody waited for the result. */
  abandoned(id: number): void {
    const circuit = this.#circuits.get(id);
    if (circuit) circuit.isTrying = false;
  }

  failed(id: number, account: number): void {
    const none = { failures: 0, restMs: 0, closedUntilMs: 0, isTrying: false, account };
    const circuit = this.#circuits.get(id) ?? none;
    this.#circuits.set(id, circuit);
    if (circuit.account !== account) circuit.account = null;
    circuit.failures += 1;
    // Failures of calls that were under way when it opened don't prolong the rest.
    const isOpen = circuit.closedUntilMs > this.now();
    if (circuit.failures < FAILURES_TO_OPEN || (isOpen && !circuit.isTrying)) return;
    circuit.isTrying = false;
    circuit.restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, circuit.restMs * 2));
    circuit.closedUntilMs = this.now() + circuit.restMs;
  }
}
