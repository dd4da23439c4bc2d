const READY_MS = 120_000;
const LOOK_MS = 50;

/** A gateway that is started by a command of yours, killed, and started again. */
export class GatewayProcess {
  #child: Bun.Subprocess | null = null;

  constructor(
    private readonly command: string,
    private readonly readyUrl: string,
  ) {}

  /** Resolves with the milliseconds until it took calls. Throws where it ends, or does not get ready within two minutes. */
  async start(): Promise<number> {
    const began = performance.now();
    // A group of its own: what the command starts is killed with it.
    const child = Bun.spawn(["sh", "-c", this.command], { detached: true, stdio: ["ignore", "ignore", "inherit"] });
    this.#child = child;
    while (performance.now() - began < READY_MS) {
      if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`);
      const answer = await fetch(this.readyUrl).catch(() => null);
      await answer?.arrayBuffer();
      if (answer?.ok) return performance.now() - began;
      await Bun.sleep(LOOK_MS);
    }
    throw new Error(`the gateway was not ready within ${READY_MS / 1000} s`);
  }

  /** Ends it and all that it has started, without a word. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await child.exited;
  }
}
