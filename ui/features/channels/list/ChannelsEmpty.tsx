import Hub from "@mui/icons-material/HubOutlined";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import type { Address } from "../../../components/use-address.ts";
import { oneOf } from "../../../state/search-text.ts";
import { CHANNEL_HEALTHS, CHANNEL_SORTS, type ChannelQuery } from "../channel-queries.ts";

type ChannelsEmptyProps = Readonly<{ query: ChannelQuery; address: Address; onAdd: () => void }>;

/** Empty state: no match, no tagged channel, or no channel yet. */
export const ChannelsEmpty = ({ query, address, onAdd }: ChannelsEmptyProps) => {
  const { t } = useTranslation();
  if (isFiltered(query)) {
    return (
      <EmptyState
        icon={<Hub />}
        title={t("channels.empty.filteredTitle")}
        body={t("channels.empty.filteredBody")}
        action={<Button onClick={address.clear}>{t("components.filter.clear")}</Button>}
      />
    );
  }
  if (query.byTag) {
    return <EmptyState icon={<Hub />} title={t("channels.tags.none")} body={t("channels.tags.noneBody")} />;
  }
  return (
    <EmptyState
      icon={<Hub />}
      title={t("channels.empty.title")}
      body={t("channels.empty.body")}
      action={
        <Button variant="contained" color="primary" onClick={onAdd}>
          {t("channels.add")}
        </Button>
      }
    />
  );
};

/** The list's query in the URL. */
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

/** Whether any filter is set, apart from sort order and page. */
const isFiltered = ({ keyword, model, group, type, status, tag, health }: ChannelQuery): boolean =>
  [keyword, model, group, type, status, tag, health].some((value) => value !== undefined);
