/** So many failures in a row open the circuit. */
const FAILURES_TO_OPEN = 5;
const [FIRST_REST_MS, LONGEST_REST_MS] = [10_000, 300_000];

type Circuit = { failures: number; restMs: number; closedUntilMs: number; isTrying: boolean };

/**
 * Keeps calls from servers that fail again and again: after some failures in a row nothing is sent for a while, then one call tries.
 * Each failed try doubles the rest.
 */
export class CircuitBreaker {
  readonly #circuits = new Map<number, Circuit>();

  constructor(private readonly now: () => number) {}

  /** Milliseconds until a call may be sent; 0: it may, and must report how it went. */
  enter(id: number): number {
    const circuit = this.#circuits.get(id);
    if (!circuit || circuit.failures < FAILURES_TO_OPEN) return 0;
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

  failed(id: number): void {
    const circuit = this.#circuits.get(id) ?? { failures: 0, restMs: 0, closedUntilMs: 0, isTrying: false };
    this.#circuits.set(id, circuit);
    circuit.failures += 1;
    // Failures of calls that were under way when it opened don't prolong the rest.
    const isOpen = circuit.closedUntilMs > this.now();
    if (circuit.failures < FAILURES_TO_OPEN || (isOpen && !circuit.isTrying)) return;
    circuit.isTrying = false;
    circuit.restMs = Math.min(LONGEST_REST_MS, Math.max(FIRST_REST_MS, circuit.restMs * 2));
    circuit.closedUntilMs = this.now() + circuit.restMs;
  }
}
