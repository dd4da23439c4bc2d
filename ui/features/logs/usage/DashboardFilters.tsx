import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Chip from "@mui/material/Chip";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Series, SeriesDimension } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { Row } from "../../../components/layout.tsx";
import { type Address, useAddress } from "../../../components/use-address.ts";
import { type DataFilter, type DataScope, usageSeries } from "../entries/data-queries.ts";

/** The dimensions that a filter in the URL names, each by a parameter of its own. */
const KEYS = [
  "model",
  "group",
  "token",
  "tag",
  "end_user",
  "project",
  "member",
  "user",
  "channel",
] as const satisfies readonly SeriesDimension[];

/** The filter in the URL. */
export function filterOf(address: Address): DataFilter {
  const text = (key: string) => address.text(key) || undefined;
  return {
    model: text("model"),
    group: text("group"),
    token: address.number("token"),
    tag: text("tag"),
    end_user: text("end_user"),
    project: address.number("project"),
    member: address.number("member"),
    user: text("user"),
    channel: address.number("channel"),
  };
}

/** The change of the URL that limits the dashboard to one series. Null: it stands for several, or for what has no name. */
export function filterChange(by: SeriesDimension, { key, name }: Series): Readonly<Record<string, string>> | null {
  const value = by === "user" ? name : key;
  return value ? { [by]: value } : null;
}

type Props = Readonly<{
  scope: DataScope;
  filter: DataFilter;
  /** In epoch seconds. */
  period: Readonly<{ start: number; end: number }>;
  /** The name of the range in the URL; undefined: it has moments of its own. */
  rangeName: string | null;
}>;

/** What the dashboard is limited to, each removable, and the way to the requests themselves. */
export const DashboardFilters = ({ scope, filter, period, rangeName }: Props) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useAddress({ keepsPlace: true });
  const active = KEYS.filter((key) => filter[key] !== undefined);
  const names = useNames({ scope, filter, period, rangeName });
  if (active.length === 0) return null;
  const nameOf = (key: (typeof KEYS)[number]) =>
    isNamed(key) ? (names[key] ?? String(filter[key])) : String(filter[key]);
  const clear = () => address.set(Object.fromEntries(KEYS.map((key) => [key, undefined])));
  const range = rangeName ? { range: rangeName } : { from: period.start, to: period.end };
  const { token: _, ...narrowing } = filter;
  return (
    <Row wrap gap={2} sx={{ mb: 4 }}>
      {active.map((key) => (
        <Chip
          key={key}
          label={t("usage.filteredBy", { dimension: t(`usage.dimensions.${key}`), name: nameOf(key) })}
          onDelete={() => address.set({ [key]: undefined })}
        />
      ))}
      <Button variant="text" size="small" onClick={clear}>
        {t("usage.clearFilters")}
      </Button>
      <Button
        variant="text"
        size="small"
        onClick={() =>
          navigate({
            to: "/log",
            search: () => ({ ...range, ...narrowing, token: names.token ?? undefined }),
          })
        }
      >
        {t("usage.viewRequests")}
      </Button>
    </Row>
  );
};

/** Dimensions whose filter is an id. */
type NamedKey = "token" | "channel" | "project" | "member";

const isNamed = (key: string): key is NamedKey => ["token", "channel", "project", "member"].includes(key);

/** The names of what the filter names by ids; null until they are known. */
const useNames = (props: Props): Readonly<Record<NamedKey, string | null>> => ({
  token: useNameOf("token", props),
  channel: useNameOf("channel", props),
  project: useNameOf("project", props),
  member: useNameOf("member", props),
});

function useNameOf(by: NamedKey, { scope, filter, period }: Props): string | null {
  const id = filter[by];
  const one = usageSeries(scope, period, { [by]: id }, { by, step: "week" });
  const { data } = useQuery({ ...one, enabled: id !== undefined });
  return data?.find(({ key }) => key === String(id))?.name || null;
}

/** The same time of the reader's day, so many days earlier; epoch seconds. */
function daysBefore(start: number, days: number): number {
  const date = new Date(start * 1000);
  date.setDate(date.getDate() - days);
  return date.getTime() / 1000;
}

/** Days earlier. */
const EARLIER = { week: 7, fourWeeks: 28, year: 364 } as const;
const CHOICES = ["", "week", "fourWeeks", "year", "custom"] as const;

/** Where the period to compare with starts, by what the address says; undefined: the period before. */
export function compareStartOf(text: string, start: number): number | undefined {
  const days = Object.entries(EARLIER).find(([name]) => name === text)?.[1];
  if (days !== undefined) return daysBefore(start, days);
  const chosen = Number(text);
  return text !== "" && Number.isSafeInteger(chosen) && chosen > 0 ? chosen : undefined;
}

type CompareProps = Readonly<{
  value: string;
  /** Of the period shown, in epoch seconds. */
  start: number;
  onChange: (value: string) => void;
}>;

/** Chooses the period that the figures are compared with: of the same length, at any time. */
export const CompareSelect = ({ value, start, onChange }: CompareProps) => {
  const { t } = useTranslation();
  const custom = Number(value) > 0 ? Number(value) : null;
  return (
    <Row gap={2} wrap>
      <Box component="span" sx={{ fontSize: 12.5, color: "text.secondary" }}>
        {t("usage.compare.label")}
      </Box>
      <Select
        size="small"
        displayEmpty
        value={custom === null ? value : "custom"}
        inputProps={{ "aria-label": t("usage.compare.label") }}
        onChange={({ target }) => onChange(target.value === "custom" ? String(daysBefore(start, 1)) : target.value)}
      >
        {CHOICES.map((name) => (
          <MenuItem key={name} value={name}>
            {t(`usage.compare.${name || "previous"}`)}
          </MenuItem>
        ))}
      </Select>
      {custom !== null && (
        <Box sx={{ width: 210 }}>
          <DateTimeInput
            label={t("usage.compare.from")}
            value={custom}
            onChange={(next) => next && onChange(String(next))}
            hasError={false}
          />
        </Box>
      )}
    </Row>
  );
};
