import type { Address } from "../../components/useAddress.ts";
import { oneOf } from "../../search-text.ts";
import { CHANNEL_HEALTHS, CHANNEL_SORTS, type ChannelQuery } from "./channel-queries.ts";

/** What the address asks of the list. */
export function channelQueryOf(
  address: Pick<Address, "text" | "number">,
  pageSize: number,
  layout: Readonly<{ idSort: boolean; byTag: boolean }>,
): ChannelQuery {
  const text = (key: string) => address.text(key) || undefined;
  const sort = oneOf(text("sort"), CHANNEL_SORTS);
  return {
    keyword: text("search"),
    model: text("model"),
    group: text("group"),
    type: address.number("type"),
    status: address.number("status"),
    tag: text("tag"),
    health: oneOf(text("health"), CHANNEL_HEALTHS),
    sort,
    order: oneOf(text("order"), ["asc", "desc"]),
    idSort: sort === undefined && layout.idSort,
    byTag: layout.byTag,
    page: Math.max(Math.trunc(address.number("p") ?? 0), 0),
    pageSize,
  };
}

/** Whether anything but order and page narrows the list. */
export const isFiltered = ({ keyword, model, group, type, status, tag, health }: ChannelQuery): boolean =>
  [keyword, model, group, type, status, tag, health].some((value) => value !== undefined);
