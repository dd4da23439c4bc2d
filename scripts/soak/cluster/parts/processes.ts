import { closeSync, openSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const TEMPLATES = path.resolve(import.meta.dir, "../../../../deploy/cluster");

/** A program that runs until it is ended. */
export type Part = Readonly<{ pid: number; exited: Promise<number>; kill(signal?: NodeJS.Signals): Promise<void> }>;

/** The processes and files of one cluster, which end and vanish together. */
export class Processes {
  readonly #running = new Set<Bun.Subprocess>();
  #isClosing = false;

  private constructor(readonly folder: string) {
    process.on("exit", () => this.#endNow());
  }

  static async open(): Promise<Processes> {
    const folder = await mkdtemp(path.join(tmpdir(), "sluice-cluster-"));
    await chmod(folder, 0o755);
    return new Processes(folder);
  }

  /** Makes a folder of the cluster; `owner`: the user whose it is. */
  async makeFolder(name: string, owner?: string): Promise<string> {
    const folder = path.join(this.folder, name);
    await mkdir(folder, { recursive: true });
    if (owner) await chown(folder, await idOf("-u", owner), await idOf("-g", owner));
    return folder;
  }

  /** Writes a file of deploy/cluster with its ${NAMES} filled in; returns its path. Throws when one has no value. */
  async fill(template: string, folder: string, values: Readonly<Record<string, string | number>>): Promise<string> {
    const text = await Bun.file(path.join(TEMPLATES, template)).text();
    const filled = text.replaceAll(/\$\{([A-Z][A-Z\d_]*)\}/g, (placeholder, name: string) => {
      if (name === "NAMES") return placeholder;
      const value = values[name];
      if (value === undefined) throw new Error(`${template}: ${name} has no value`);
      return String(value);
    });
    const file = path.join(folder, template);
    await Bun.write(file, filled);
    return file;
  }

  /** Starts a program whose output goes to a file; `user`: as somebody else. */
  start(name: string, command: readonly string[], options: StartOptions = {}): Part {
    const as = options.user ? ["setpriv", `--reuid=${options.user}`, `--regid=${options.user}`, "--init-groups"] : [];
    const log = openSync(path.join(this.folder, `${name}.log`), "a");
    const child = Bun.spawn([...as, ...command], {
      cwd: options.cwd ?? this.folder,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    this.#running.add(child);
    void child.exited.then(() => this.#running.delete(child));
    return {
      pid: child.pid,
      exited: child.exited,
      async kill(signal = "SIGTERM") {
        child.kill(signal);
        await child.exited;
      },
    };
  }

  /** The same for a program that is started again whenever it ends by itself, as systemd does. */
  keep(name: string, command: readonly string[], options: StartOptions = {}): void {
    const part = this.start(name, command, options);
    void part.exited.then((exitCode) => {
      if (this.#isClosing) return;
      process.stderr.write(`${name} ended with ${exitCode} and is started again\n`);
      this.keep(name, command, options);
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const child of this.#running) child.kill("SIGTERM");
    const ended = Promise.all([...this.#running].map(({ exited }) => exited));
    await Promise.race([ended, Bun.sleep(10_000)]);
    this.#endNow();
    await rm(this.folder, { recursive: true, force: true });
  }

  #endNow(): void {
    for (const child of this.#running) child.kill("SIGKILL");
  }
}

type StartOptions = Readonly<{ user?: string; cwd?: string; env?: Readonly<Record<string, string>> }>;

async function idOf(flag: "-u" | "-g", user: string): Promise<number> {
  return Number(await Bun.$`id ${flag} ${user}`.text());
}
