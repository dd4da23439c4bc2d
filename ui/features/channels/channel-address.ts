import type { Address } from "../../components/useAddress.ts";
import type { ChannelQuery } from "./channel-queries.ts";

/** What the address asks of the list. */
export function channelQueryOf(
  address: Pick<Address, "text" | "number">,
  pageSize: number,
  layout: Readonly<{ idSort: boolean; byTag: boolean }>,
): ChannelQuery {
  const text = (key: string) => address.text(key) || undefined;
  const sort = text("sort");
  return {
    keyword: text("search"),
    model: text("model"),
    group: text("group"),
    type: address.number("type"),
    status: address.number("status"),
    tag: text("tag"),
    health: text("health"),
    sort,
    order: text("order"),
    idSort: sort === undefined && layout.idSort,
    byTag: layout.byTag,
    page: Math.max(Math.trunc(address.number("p") ?? 0), 0),
    pageSize,
  };
}

/** Whether anything but order and page narrows the list. */
export const isFiltered = ({ keyword, model, group, type, status, tag, health }: ChannelQuery): boolean =>
  [keyword, model, group, type, status, tag, health].some((value) => value !== undefined);
