import type { Changes } from "../../../db/changes.ts";
import type { Subject } from "../subject.ts";
import type { BackingParts } from "./backing.ts";
import { type BalanceLoader, loadBalances } from "./balances/load-balances.ts";
import { Ledger } from "./ledger.ts";
import { Outage } from "./outage.ts";
import { Peers } from "./processes/peers.ts";
import type { Registration } from "./processes/registration.ts";

type Parts = Pick<BackingParts, "sql" | "processId" | "sole" | "inTurn" | "unansweredMs" | "onFailure" | "log"> &
  Readonly<{
    kind: "server" | "embedded";
    changes: Pick<Changes, "subscribe" | "publish" | "onGap" | "confirmAs">;
    /** Part of its share of a free balance that this process may spend while the database is away. */
    spendRatio: number;
    /** Undefined until the process is about to register. */
    registration(): Registration | undefined;
  }>;

export type OpenLedger = Readonly<{
  ledger: Ledger;
  liveProcesses(): number;
  /** All balances were read once. */
  knowsAllBalances(): boolean;
  /** To be called once the process is registered; `absent` processes may come back from an outage. */
  join(absent: number): Promise<void>;
  /** To be called every second or two. Rejects when the database does not answer. */
  sweep(): Promise<void>;
  /** Unsubscribes from changes; resolves when nothing is being read. */
  stop(): Promise<void>;
  /** Sends the other processes the last charges, and that this one ends. */
  leave(): Promise<void>;
}>;

/** The ledger with what keeps its balances true: all balances, change events and the other processes. */
export function openLedger(parts: Parts): OpenLedger {
  const { sql, kind, processId, sole, inTurn, unansweredMs, changes, spendRatio, registration, onFailure, log } = parts;
  const liveProcesses = () => registration()?.liveProcesses ?? 1;
  const outage = new Outage({ spendRatio, liveProcesses });
  const others = new Peers(
    { changes, processId, liveProcesses, log },
    {
      giveBack: (accounts) => ledger.giveBack(accounts),
      learn: (balances) => {
        for (const { subject, id, quota, held } of balances) ledger.accounts.learn(subject, id, quota, held, false);
      },
      onMembership: () => void registration()?.renew(),
    },
  );
  const ledger = new Ledger({ sql, processId, sole, inTurn, unansweredMs, onFailure, outage, others, log });
  let balances: BalanceLoader | null = null;
  let unsubscribe: readonly (() => unknown)[] = [];
  let stopConfirming = () => {};
  return {
    ledger,
    liveProcesses,
    knowsAllBalances: () => balances?.isComplete() ?? false,
    async join(absent) {
      if (absent > 0) outage.expectReturn(performance.now(), liveProcesses() + absent);
      const loader = loadBalances({ sql, kind, accounts: ledger.accounts, log });
      balances = loader;
      const numbersOf = (ids: readonly (number | string)[]) => ids.map(Number).filter(Number.isSafeInteger);
      const restore = (subject: Subject) => (ids: readonly (number | string)[]) =>
        ledger.restore(subject, numbersOf(ids));
      unsubscribe = [
        changes.subscribe("users", restore("user")),
        changes.subscribe("tokens", restore("token")),
        changes.subscribe("budgets", restore("budget")),
        changes.onGap(loader.reload),
      ];
      stopConfirming = changes.confirmAs(processId);
      if (!sole) await others.announce("joined");
    },
    async sweep() {
      others.publishBalances(ledger.takeSettled());
      await ledger.sweep();
    },
    async stop() {
      for (const end of unsubscribe) end();
      await balances?.close();
    },
    async leave() {
      others.publishBalances(ledger.takeSettled());
      if (!sole) await others.announce("left");
      others.close();
      stopConfirming();
    },
  };
}
