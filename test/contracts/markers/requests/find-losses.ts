import { clients } from "../clients/index.ts";
import { casesOf, randomFrom } from "./cases.ts";
import { follow, type Loss, requestWith } from "./follow.ts";
import { allows, type Rule } from "./rule.ts";
import { RULES } from "./rules.ts";
import { createSender } from "./send.ts";
import { services } from "./services.ts";

const OPTION_CASES = 24;

export type Findings = Readonly<{
  cases: number;
  /** What is lost without a rule, by client and member. */
  losses: ReadonlyMap<string, readonly Loss[]>;
  used: ReadonlySet<Rule>;
}>;

/**
 * Writes requests of every client format, each member of which has a marker, for every provider's services, and looks for the
 * markers. `seed` decides which members come together; each service gets one of `share` cases with content, and all with options.
 */
export async function findLosses(seed: number, share: number): Promise<Findings> {
  const sender = createSender();
  const losses = new Map<string, Loss[]>();
  const used = new Set<Rule>();
  let cases = 0;
  for (const client of clients) {
    for (const [at, service] of services.entries()) {
      const random = randomFrom(seed * 1000 + at);
      for (const targets of casesOf(client, random, OPTION_CASES, { of: share, which: at % share })) {
        cases += 1;
        for (const loss of await follow(sender.send, client, service, requestWith(client, targets, random))) {
          const rule = RULES.find((one) => allows(one, loss));
          if (rule) used.add(rule);
          else {
            const name = `${client.name}: ${loss.path} ${loss.what}`;
            losses.set(name, [...(losses.get(name) ?? []), loss]);
          }
        }
      }
    }
  }
  await sender.stop();
  return { cases, losses, used };
}

/** The losses as lines: member, and the formats in which it is lost. */
export const describeLosses = ({ losses }: Findings): string[] =>
  [...losses]
    .map(([name, list]) => `${name}: ${[...new Set(list.map(({ service }) => service.name))].slice(0, 4).join(", ")}`)
    .sort();
