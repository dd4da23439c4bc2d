/** When a process first looks whether it rests: what the start leaves for the background is done by then. */
const FIRST_LOOK_MS = 10_000;
const LOOK_MS = 250;

/**
 * Gives back what a step of the start leaves behind: its code, which runs once, and its garbage. What the next step keeps then takes the
 * freed places instead of more pages. Code that runs again is read from the executable. All steps take 0.1 s together: workers have the
 * time, a process that is alone does not.
 */
export async function releaseStep(): Promise<void> {
  Bun.shrink();
  // The runtime waits until no code is on the stack.
  await Bun.sleep(0);
}

/**
 * Does so once more when the start is over and no call is under way, as code that runs again costs the next calls some milliseconds. A
 * process that never rests keeps its code. `callsUnderWay`: how many there are now. Times are milliseconds.
 */
export function releaseWhenResting(callsUnderWay: () => number, times = { first: FIRST_LOOK_MS, next: LOOK_MS }): void {
  const look = () => {
    if (callsUnderWay() === 0) Bun.shrink();
    else setTimeout(look, times.next).unref();
  };
  setTimeout(look, times.first).unref();
}
