import Box from "@mui/material/Box";
import Switch from "@mui/material/Switch";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { Money } from "../../../components/display/Money.tsx";
import { ProviderGlyph } from "../../../components/display/provider/ProviderGlyph.tsx";
import { KeyPips } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { Row } from "../../../components/layout.tsx";
import { InlineNumber } from "../cells/InlineNumber.tsx";
import { BalanceCell, ChannelStatus, ModelsChanged, ResponseCell } from "../cells/status-cells.tsx";
import { HourCell, SuccessCell } from "../cells/traffic-cells.tsx";
import { type Channel, ENABLED, splitList } from "../channel.ts";
import type { ChannelActions } from "./use-channel-actions.ts";
import type { Sums } from "./use-sums.tsx";

type ColumnOptions = Readonly<{
  types: readonly ChannelType[];
  /** Days until each balance runs out, by channel id. */
  forecast: Readonly<Record<number, number>>;
  onCompare: (channel: Channel) => void;
  /** Whether any channel has a tag. */
  hasTags: boolean;
  sums: Sums;
}>;

/** The columns of the channel list. */
export function useChannelColumns(
  actions: ChannelActions,
  { types, ...options }: ColumnOptions,
): readonly Column<Channel>[] {
  const { t } = useTranslation();
  const { forecast, onCompare, hasTags, sums } = options;
  return useMemo(() => {
    const names = new Map(types.map(({ id, name }) => [id, name]));
    const nameOf = (type: number) => names.get(type) ?? t("channels.form.typeUnknown", { type });
    const columns = columnsOf({ actions, nameOf, forecast, onCompare, hasTags, t });
    const feet = new Map(Object.entries(sums));
    return columns.map((column) => ({ ...column, foot: feet.get(column.key) }));
  }, [actions, types, forecast, onCompare, hasTags, sums, t]);
}

type ColumnDeps = Omit<ColumnOptions, "types" | "sums"> &
  Readonly<{ actions: ChannelActions; nameOf: (type: number) => string; t: TFunction }>;

function columnsOf({ actions, nameOf, forecast, onCompare, hasTags, t }: ColumnDeps): readonly Column<Channel>[] {
  const number = (field: "priority" | "weight", channel: Channel) => (
    <InlineNumber
      field={field}
      value={channel[field]}
      label={t(field === "priority" ? "channels.editPriority" : "channels.editWeight", { name: channel.name })}
      onSave={(value) => actions.setNumber(channel, field, value)}
    />
  );
  return [
    {
      key: "id",
      head: t("channels.columns.id"),
      width: 60,
      align: "right",
      sortKey: "id",
      cell: ({ id }) => (
        <Box component="span" sx={{ color: "text.tertiary" }}>
          {id}
        </Box>
      ),
    },
    {
      key: "name",
      head: t("channels.columns.name"),
      isTitle: true,
      sortKey: "name",
      cell: (channel) => <NameCell channel={channel} typeName={nameOf(channel.type)} onCompare={onCompare} />,
    },
    {
      key: "status",
      head: t("channels.columns.status"),
      width: 158,
      isSolid: true,
      cell: (channel) => (
        <Row gap={2.5}>
          <Box component="span" onClick={(event) => event.stopPropagation()} sx={{ display: "inline-flex" }}>
            <Switch
              checked={channel.status === ENABLED}
              onChange={() => actions.toggle(channel)}
              slotProps={{ input: { "aria-label": t("channels.toggle", { name: channel.name }) } }}
            />
          </Box>
          <ChannelStatus channel={channel} />
        </Row>
      ),
    },
    {
      key: "keys",
      head: t("channels.columns.keys"),
      width: 90,
      isSolid: true,
      cell: ({ keys }) => <KeyPips enabled={keys.enabled} total={keys.total} label={t("channels.keysOn", keys)} />,
    },
    {
      key: "groups",
      head: t("channels.columns.groups"),
      width: 132,
      isHiddenByDefault: true,
      cell: ({ group }) => <Tags names={splitList(group)} />,
    },
    {
      key: "tag",
      head: t("channels.columns.tag"),
      width: 84,
      text: ({ tag }) => (tag ? `${tag}mm` : ""),
      isHiddenByDefault: !hasTags,
      cell: ({ tag }) => <Tags names={tag ? [tag] : []} />,
    },
    {
      key: "priority",
      head: t("channels.columns.priority"),
      width: 88,
      align: "right",
      sortKey: "priority",
      isSolid: true,
      cell: (channel) => number("priority", channel),
    },
    {
      key: "weight",
      head: t("channels.columns.weight"),
      width: 72,
      align: "right",
      sortKey: "weight",
      isSolid: true,
      cell: (channel) => number("weight", channel),
    },
    {
      key: "response_time",
      head: t("channels.columns.response"),
      width: 86,
      align: "right",
      sortKey: "response_time",
      isSolid: true,
      cell: (channel) => <ResponseCell channel={channel} />,
    },
    {
      key: "success",
      head: t("channels.columns.success"),
      width: 148,
      isSolid: true,
      cell: (channel) => <SuccessCell traffic={channel.traffic} />,
    },
    {
      key: "hour",
      head: t("channels.columns.hour"),
      width: 172,
      isSolid: true,
      isHiddenByDefault: true,
      cell: ({ live }) => <HourCell live={live} />,
    },
    {
      key: "balance",
      head: t("channels.columns.balance"),
      width: 90,
      align: "right",
      sortKey: "balance",
      cell: (channel) => <BalanceCell channel={channel} days={forecast[channel.id]} />,
    },
    {
      key: "used_quota",
      head: t("channels.columns.used"),
      width: 98,
      align: "right",
      sortKey: "used_quota",
      cell: ({ used_quota }) => <Money quota={used_quota} />,
    },
    {
      key: "created",
      head: t("channels.columns.created"),
      width: 112,
      isHiddenByDefault: true,
      cell: ({ created_time }) => <TimeAgo seconds={created_time} />,
    },
  ];
}

type NameCellProps = Readonly<{ channel: Channel; typeName: string; onCompare: (channel: Channel) => void }>;

const NameCell = ({ channel, typeName, onCompare }: NameCellProps) => (
  <Row gap={2.5}>
    <ProviderGlyph name={typeName} />
    <Box
      component="span"
      title={channel.name}
      sx={{
        fontWeight: 560,
        overflow: "hidden",
        textOverflow: "ellipsis",
        color: channel.status === ENABLED ? "text.primary" : "text.secondary",
      }}
    >
      {channel.name}
    </Box>
    <ModelsChanged channel={channel} onCompare={onCompare} />
  </Row>
);

const Tags = ({ names }: { names: readonly string[] }) => (
  <Row gap={1}>
    {names.map((name) => (
      <Tag key={name}>{name}</Tag>
    ))}
  </Row>
);
