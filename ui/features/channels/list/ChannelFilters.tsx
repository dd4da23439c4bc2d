import Box from "@mui/material/Box";
import FormControlLabel from "@mui/material/FormControlLabel";
import Switch from "@mui/material/Switch";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { StatusCounts } from "../../../../src/domain/channels/manage/list-channels.ts";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { channelTags, enabledModels, groupNames } from "../../../api/channels/channel-lists.ts";
import { ColumnTools } from "../../../components/data-table/ColumnTools.tsx";
import type { TableModel } from "../../../components/data-table/use-data-table.ts";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { SavedViews } from "../../../components/inputs/SavedViews.tsx";
import type { Address } from "../../../components/use-address.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { CHANNEL_HEALTHS } from "../channel-queries.ts";
import type { ListRow } from "../tags/tag-rows.ts";

type ChannelFiltersProps = Readonly<{
  address: Address;
  types: readonly ChannelType[];
  counts: StatusCounts | undefined;
  model: TableModel<ListRow>;
  idSort: boolean;
  onIdSort: (isOn: boolean) => void;
  byTag: boolean;
  onByTag: (isOn: boolean) => void;
}>;

/** The filters and view options of the channel list. */
export const ChannelFilters = ({ address, types, counts, model, ...layout }: ChannelFiltersProps) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  const tags = useQuery(channelTags).data ?? [];
  const models = useQuery(enabledModels).data ?? [];
  const filter = (key: string, options: readonly (readonly [string, string])[]) => ({
    key,
    label: t(`channels.filters.${key}`),
    value: address.text(key),
    options: options.map(([value, label]) => ({ value, label })),
  });
  const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("channels.filters.search") }}
      filters={[
        filter("model", same(models)),
        filter("group", same(groups)),
        filter(
          "type",
          types.map(({ id, name }) => [String(id), name] as const),
        ),
        filter("tag", same(tags)),
        filter(
          "health",
          CHANNEL_HEALTHS.map((health) => [health, t(`channels.health.${health}`)] as const),
        ),
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={address.clear}
      pinned={
        <StatusSegments
          value={address.text("status")}
          counts={counts}
          onChange={(status) => address.set({ status, p: undefined })}
        />
      }
      tools={
        <>
          {(
            [
              ["idSort", layout.idSort, layout.onIdSort],
              ["byTag", layout.byTag, layout.onByTag],
            ] as const
          ).map(([name, isOn, onSwitch]) => (
            <FormControlLabel
              key={name}
              label={t(`channels.filters.${name}`)}
              control={<Switch checked={isOn} onChange={(event) => onSwitch(event.target.checked)} />}
              sx={{
                mx: 2,
                gap: 2,
                "& .MuiFormControlLabel-label": { fontSize: 12.5, color: "text.secondary", whiteSpace: "nowrap" },
              }}
            />
          ))}
          <SavedViews list="channels" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};

const SEGMENTS = [
  ["", "all", "all"],
  ["1", "enabled", "enabled"],
  ["3", "autoDisabled", "auto_disabled"],
  ["2", "disabled", "disabled"],
] as const;

type StatusSegmentsProps = Readonly<{
  value: string;
  counts: StatusCounts | undefined;
  onChange: (status: string) => void;
}>;

/** All, enabled, auto-disabled and disabled, each with its count. */
const StatusSegments = ({ value, counts, onChange }: StatusSegmentsProps) => {
  const { t } = useTranslation();
  return (
    <Box sx={{ overflowX: "auto", maxWidth: "100%", flex: { xs: "1 0 100%", sm: "0 1 auto" }, scrollbarWidth: "none" }}>
      <ToggleButtonGroup
        exclusive
        size="small"
        value={value}
        onChange={(_, status: string | null) => status !== null && onChange(status)}
        aria-label={t("channels.filters.status")}
      >
        {SEGMENTS.map(([status, name, count]) => (
          <ToggleButton key={name} value={status}>
            {t(`channels.status.${name}`)}
            <Box component="span" className="num" sx={{ color: "text.tertiary", fontWeight: 450, minWidth: 8 }}>
              {counts ? formatNumber(counts[count]) : ""}
            </Box>
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </Box>
  );
};
