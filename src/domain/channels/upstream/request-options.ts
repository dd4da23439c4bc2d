import { version } from "../../../server/version.ts";
import type { ChannelEntry } from "../entry.ts";

const DEFAULT = `Sluice/${version}`;
/** What may stand in a header's value: no control characters. */
const HEADER_VALUE = /^[\x20-\x7e]{1,500}$/;

/** The product that a channel's upstream sees: its setting `user_agent`, else this release. */
export function userAgentOf({ setting }: Pick<ChannelEntry, "setting"> = { setting: {} }): string {
  const { user_agent: own } = setting;
  return typeof own === "string" && HEADER_VALUE.test(own) ? own : DEFAULT;
}

/** The proxy that a channel's setting names; empty: none. */
export const proxyOf = ({ setting }: Pick<ChannelEntry, "setting">): string =>
  typeof setting.proxy === "string" ? setting.proxy : "";
