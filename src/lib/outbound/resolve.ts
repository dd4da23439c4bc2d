import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { recentEntries } from "../values/tables/recent-entries.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { OutboundError } from "./outbound-error.ts";

/** Host name → its addresses. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** Host name → addresses that may be reached. Rejects OutboundError. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** How long an answer is believed: short, yet a busy channel asks the name server a few times a minute at most. */
const FRESH_MS = 15_000;
const MAX_NAMES = 2_000;

const lookupAll: Lookup = async (hostname) =>
  (await systemLookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Resolves a name and refuses it when any of its addresses is refused, so that a name with one public and one private
 * address is no way round the policy.
 */
export function createResolve(policy: AddressPolicy, lookup: Lookup = lookupAll, now = Date.now): Resolve {
  const known = recentEntries<string, { addresses: readonly string[]; until: number }>(MAX_NAMES);

  const ask = async (hostname: string): Promise<readonly string[]> => {
    let addresses: readonly string[];
    try {
      addresses = await lookup(hostname);
    } catch {
      throw new OutboundError("unresolved", { code: "why_unresolved", params: { host: hostname } });
    }
    if (addresses.length === 0) {
      throw new OutboundError("unresolved", { code: "why_no_host_address", params: { host: hostname } });
    }
    if (!addresses.every(policy.allows)) throw refused(policy, hostname);
    known.set(hostname, { addresses, until: now() + FRESH_MS });
    return addresses;
  };

  return async (hostname) => {
    if (isIP(hostname)) {
      if (!policy.allows(hostname)) throw refused(policy, hostname);
      return [hostname];
    }
    const entry = known.get(hostname);
    return entry && entry.until > now() ? entry.addresses : ask(hostname);
  };
}

const refused = ({ variable }: AddressPolicy, host: string): OutboundError =>
  new OutboundError("refused_address", { code: "why_private_address", params: { host, variable } });
