/** Answers each message after 50 ms. In a thread of its own, because fake timers stop all timers of the tests' thread. */
export const TICK_MS = 50;

if (!Bun.isMainThread) self.onmessage = () => setTimeout(() => self.postMessage(null), TICK_MS);
