import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { OperationError } from "../../../../lib/operation-error.ts";
import { recentEntries } from "../../../../lib/values/tables/recent-entries.ts";
import { type Environment, readEnvironment } from "./environment.ts";
import { StdioTransport } from "./transport.ts";

/** What the operator allows, by environment variables. */
export type StdioLimits = Readonly<{
  /** Commands that may be started; empty: none. */
  commands: readonly string[];
  /** At the same time, in each process of the gateway. */
  maxProcesses: number;
  /** Of each process; bytes. */
  maxMemoryBytes: number;
}>;

type Command = Readonly<{
  id: number;
  command: string;
  args: readonly string[];
  secret: string;
  /** The account for which it runs; 0: the gateway itself. */
  accountId: number;
}>;

const [FIRST_REST_MS, LONGEST_REST_MS] = [1_000, 60_000];
const MAX_RESTS = 10_000;
/** A process that has run so long has not ended because of how it was started. */
const STEADY_MS = 60_000;
/** An account has at most this part of all processes. */
const SHARES = 4;
/** Nothing of the gateway's own environment, which has its secrets. */
const MINIMAL = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" };

/**
 * Runs the command that its arguments are, and ends with its code. Linux tells a process alone that its parent has died, not those that it has
 * started: on that signal this shell, which leads the group, kills all of the group. It waits through SIGTERM, which is for the command. The
 * command may end just before that signal arrives, because a process that dies closes its pipes first, so its end is waited for a moment longer.
 */
const GUARD =
  "unset PWD OLDPWD SHLVL; trap 'kill -KILL 0' USR1; trap : TERM; exec 3<&0; \"$@\" <&3 3<&- & exec 3<&- <&-; while :; do wait $!; code=$?; kill -0 $! 2>/dev/null || { sleep 0.3; exit $code; }; done";

/** Starts the processes of MCP servers that the operator allows, bounds them, and ends them with the gateway. */
export class StdioSupervisor {
  /** With the account of each. */
  readonly #running = new Map<StdioTransport, number>();
  /** By server and account: a process that one caller brings to its end is not withheld from others. */
  readonly #rests = recentEntries<string, { failures: number; untilMs: number }>(MAX_RESTS);
  #folder: string | null = null;

  constructor(private readonly limits: StdioLimits) {}

  /** Throws OperationError unless the operator allows the command. */
  require(command: string): void {
    if (!this.limits.commands.includes(command)) throw new OperationError("mcp_stdio_not_allowed", { command });
  }

  get running(): number {
    return this.#running.size;
  }

  /** Makes the transport of a server, whose process starts with it. `maxBytes`: of one message. */
  transport({ id, command, args, secret, accountId }: Command, maxBytes: number): StdioTransport {
    const folder = this.#scratch();
    const environment: Environment = { ...MINIMAL, HOME: folder, TMPDIR: folder, ...readEnvironment(secret) };
    return new StdioTransport({
      ...{ command: this.#bounded([command, ...args]), environment, folder, maxBytes },
      admit: (transport) => {
        this.require(command);
        this.#makeRoom(id, accountId);
        this.#running.set(transport, accountId);
      },
      ended: (transport, isExpected) => {
        this.#running.delete(transport);
        if (!isExpected) this.#rest(`${id}/${accountId}`, Date.now() - transport.startedMs);
      },
    });
  }

  /** Ends all processes at once. */
  close(): void {
    for (const transport of this.#running.keys()) transport.kill();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  /** The command under its limits: less memory, no new privileges, no dump of its memory, and the end with this process. */
  #bounded(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
    const [setpriv, prlimit, shell] = [Bun.which("setpriv"), Bun.which("prlimit"), Bun.which("sh")];
    const limited: readonly [string, ...string[]] = prlimit
      ? [prlimit, `--data=${this.limits.maxMemoryBytes}`, "--core=0", "--", ...command]
      : command;
    if (!setpriv) return limited;
    const [signal, guarded] = shell ? ["USR1", [shell, "-c", GUARD, "sh", ...limited]] : ["KILL", limited];
    return [setpriv, "--no-new-privs", "--pdeathsig", signal, "--", ...guarded];
  }

  /** Room within all processes, and within the share of an account: one that opens many sessions leaves others theirs. */
  #makeRoom(id: number, accountId: number): void {
    const restMs = (this.#rests.get(`${id}/${accountId}`)?.untilMs ?? 0) - Date.now();
    if (restMs > 0) throw new OperationError("mcp_stdio_resting", { seconds: Math.ceil(restMs / 1_000) });
    const { maxProcesses } = this.limits;
    const share = Math.max(1, Math.floor(maxProcesses / SHARES));
    const own = [...this.#running].filter(([, account]) => account === accountId).map(([transport]) => transport);
    if (accountId !== 0 && own.length >= share) this.#endIdle(own, share);
    else if (this.#running.size >= maxProcesses) this.#endIdle([...this.#running.keys()], maxProcesses);
  }

  #endIdle(among: readonly StdioTransport[], max: number): void {
    const [idle] = among.filter((each) => each.isIdle).sort((a, b) => a.lastUsedMs - b.lastUsedMs);
    if (!idle) throw new OperationError("mcp_stdio_full", { max });
    this.#running.delete(idle);
    idle.kill();
  }

  #rest(key: string, livedMs: number): void {
    const failures = livedMs > STEADY_MS ? 1 : (this.#rests.get(key)?.failures ?? 0) + 1;
    const restMs = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (failures - 1));
    this.#rests.set(key, { failures, untilMs: Date.now() + restMs });
  }

  /** An empty folder of this process, in which servers run. */
  #scratch(): string {
    if (this.#folder === null) {
      this.#folder = mkdtempSync(path.join(tmpdir(), "sluice-mcp-"));
      process.once("exit", () => this.close());
    }
    return this.#folder;
  }
}
