import Box from "@mui/material/Box";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useAtomValue } from "jotai";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelSums } from "../../../../src/domain/channels/manage/list-channels.ts";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { channelTags, channelTypes, enabledModels, groupNames } from "../../../api/channels/channel-lists.ts";
import { useAddressPaging } from "../../../components/data-table/url-state.ts";
import { Money } from "../../../components/display/Money.tsx";
import { type Address, useAddress } from "../../../components/use-address.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { oneOf } from "../../../state/search-text.ts";
import { SWITCH_FORMAT, storedAtom } from "../../../state/stored-atom.ts";
import { balanceText } from "../cells/status-cells.tsx";
import {
  CHANNEL_HEALTHS,
  CHANNEL_SORTS,
  type ChannelQuery,
  channelCounts,
  channelForecast,
  channelPage,
} from "../channel-queries.ts";
import { byTagAtom, rowsByTag, type TagRow } from "../tags/tag-rows.ts";
import { useTagActions } from "../tags/use-tag-actions.ts";
import { useTestAll } from "./TestAllBar.tsx";
import { useChannelActions } from "./use-channel-actions.ts";

const NO_NAMES: readonly string[] = [];
const NO_TYPES: readonly ChannelType[] = [];
const NO_FORECAST: Readonly<Record<number, number>> = {};

/** Sorts channels by id instead of by priority; this device remembers it. */
export const idSortAtom = storedAtom("id-sort", SWITCH_FORMAT);

/** The list's query in the URL. */
function channelQueryOf(
  address: Pick<Address, "text" | "number">,
  paging: Pick<ChannelQuery, "page" | "pageSize">,
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
    ...paging,
  };
}

/** The channels that the address asks for, in tag mode below their tags, and what else their list needs. */
export function useChannelData() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [idSort, byTag] = [useAtomValue(idSortAtom), useAtomValue(byTagAtom)];
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set());
  const { page, pageSize } = useAddressPaging(useAddress());
  const query = channelQueryOf(useAddress(), { page, pageSize }, { idSort, byTag });
  const list = useQuery({ ...channelPage(query), placeholderData: keepPreviousData });
  const channels = list.data?.items;
  const rows = useMemo(() => (byTag ? channels && rowsByTag(channels, open) : channels), [byTag, channels, open]);
  const withBalance = (channels ?? []).filter((channel) => channel.balance_updated_time > 0).map(({ id }) => id);
  /** Of channels, also in tag mode. */
  const total = (byTag ? list.data?.tagged : list.data?.total) ?? 0;
  return {
    query,
    /** How many tags match, in tag mode. */
    tagCount: byTag ? (list.data?.total ?? 0) : null,
    total,
    page: {
      rows,
      total: list.data?.total,
      error: list.error,
      reload: list.refetch,
      isRefreshing: list.isPlaceholderData,
    },
    counts: list.data?.counts,
    /** Regardless of filters. */
    allCounts: useQuery(channelCounts).data,
    readCounts: () => client.fetchQuery({ ...channelCounts, staleTime: 0 }),
    sums: useSums(list.data?.sums, total),
    types: useQuery(channelTypes).data ?? NO_TYPES,
    tags: useQuery(channelTags).data ?? NO_NAMES,
    groups: useQuery(groupNames).data ?? NO_NAMES,
    models: useQuery(enabledModels).data ?? NO_NAMES,
    /** Days until each balance runs out, by channel id. */
    forecast: useQuery(channelForecast(withBalance)).data ?? NO_FORECAST,
    actions: useChannelActions(),
    tagActions: useTagActions(),
    testAll: useTestAll(),
    /** Chooses a file to import. */
    file: useRef<HTMLInputElement>(null),
    /** The tags whose channels are shown. */
    open,
    toggle: ({ tag }: TagRow) =>
      setOpen((now) => {
        const next = new Set(now);
        if (!next.delete(tag)) next.add(tag);
        return next;
      }),
    add: () => void navigate({ to: "/channel/add", search: true }),
    edit: (id: number) => void navigate({ to: "/channel/edit/$id", params: { id: String(id) }, search: true }),
  };
}

export type ChannelData = ReturnType<typeof useChannelData>;

/** What stands below the rows, by column; empty while there is nothing to add up. */
type Sums = Partial<Readonly<Record<"name" | "balance" | "used_quota", ReactNode>>>;

/** The totals of so many channels on all pages: their balances by currency, and what they used. */
function useSums(sums: ChannelSums | undefined, count: number): Sums {
  const { t, i18n } = useTranslation();
  return useMemo(() => {
    if (!sums || count < 2) return NONE;
    const balances = sums.balances.map(({ currency, amount }) =>
      balanceText({ balance: amount, balance_currency: currency }, i18n.language),
    );
    return {
      name: t("channels.totalOf", { total: formatNumber(count) }),
      ...(balances.length > 0 && {
        balance: balances.map((text) => (
          <Box key={text} sx={{ lineHeight: "18px" }}>
            {text}
          </Box>
        )),
      }),
      used_quota: <Money quota={sums.used_quota} />,
    };
  }, [sums, count, t, i18n.language]);
}

const NONE: Sums = {};
