import Box from "@mui/material/Box";
import MuiLink from "@mui/material/Link";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { PartName } from "../../../../src/domain/channels/prices/price-parts.ts";
import { type PriceChange, priceChanges } from "../../../api/models/pricing.ts";
import { formatList } from "../../../lib/format/list.ts";
import { formatShort } from "../../../lib/format/number.ts";
import { formatDate } from "../../../lib/format/time.ts";
import { useSession } from "../../../state/session.ts";
import { channelMarks } from "../entries/data-queries.ts";

const MOST = 8;

/** What happened in the period, below the chart: each leads to where it is recorded. */
export const MarkList = ({ marks }: { marks: readonly ChartMark[] }) => {
  const { t, i18n } = useTranslation();
  if (marks.length === 0) return null;
  const time = (at: number) =>
    formatDate(at * 1000, i18n.language, {
      month: "numeric",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  return (
    <Box sx={{ mt: 3, pt: 3, borderTop: "1px solid", borderColor: "line.faint", fontSize: 12.5 }}>
      <Box component="h3" sx={{ m: 0, mb: 1.5, fontSize: 12.5, fontWeight: 600 }}>
        {t("usage.marks.title")}
      </Box>
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
        {marks.slice(0, MOST).map(({ at, text, to }) => (
          <Box component="li" key={`${at} ${text}`} sx={{ display: "flex", gap: 3, py: 0.5 }}>
            <Box component="time" className="num" sx={{ flex: "none", minWidth: 84, color: "text.tertiary" }}>
              {time(at)}
            </Box>
            <MuiLink component={Link} to={to} color="inherit" underline="hover" sx={{ overflowWrap: "anywhere" }}>
              {text}
            </MuiLink>
          </Box>
        ))}
      </Box>
      {marks.length > MOST && (
        <Box sx={{ mt: 1, color: "text.tertiary" }}>{t("usage.marks.more", { count: marks.length - MOST })}</Box>
      )}
    </Box>
  );
};

/** Something that may explain a step in the chart. */
export type ChartMark = Readonly<{
  /** Epoch seconds. */
  at: number;
  text: string;
  to: "/pricing" | "/audit" | "/channel";
}>;

/** Price changes in a period and, for administrators, channels that went off or came back; newest first. */
export function useChartMarks(period: Readonly<{ start: number; end: number }>, isForAdmin: boolean): ChartMark[] {
  const { t, i18n } = useTranslation();
  const { user } = useSession();
  const prices = useInfiniteQuery(priceChanges(user?.id));
  const switched = useQuery({ ...channelMarks(period), enabled: isForAdmin });
  const changed = (prices.data?.pages[0]?.items ?? [])
    .filter(({ changed_at }) => changed_at >= period.start && changed_at <= period.end)
    .map((change): ChartMark => {
      const { changed_at, model_name, before, after } = change;
      const kind = before === null ? "added" : after === null ? "removed" : "price";
      const text = t(`usage.marks.${kind}`, { model: model_name });
      const parts = partNames(change, (item) => t(`receipt.items.${item}`));
      const list = formatList(parts, i18n.language);
      return { at: changed_at, text: list ? `${text} · ${list}` : text, to: "/pricing" };
    });
  const channels = (isForAdmin ? (switched.data ?? []) : []).map(({ at, kind, name }): ChartMark => {
    if (kind === "channel_recovered") return { at, text: t("usage.marks.channel_recovered", { name }), to: "/channel" };
    const text = name === "" ? t(`usage.marks.${kind}_several`) : t(`usage.marks.${kind}`, { name });
    return { at, text, to: "/audit" };
  });
  return [...changed, ...channels].toSorted((one, other) => other.at - one.at);
}

/** How receipts call the parts of a price that have a name of their own. */
const ITEMS = {
  cached: "cache_read",
  cacheWritten: "cache_write",
  cacheWrittenHour: "cache_write_1h",
  audioInput: "audio_input",
  audioOutput: "audio_output",
  imageInput: "image_input",
  imageOutput: "image_output",
  megapixel: "output_megapixel",
} as const satisfies Partial<Record<PartName, string>>;

/** Which parts of a price changed; none for a model that is new or no longer offered. */
export function partNames(
  { before, after, is_base_same, parts }: Pick<PriceChange, "before" | "after" | "is_base_same" | "parts">,
  nameOf: (item: (typeof ITEMS)[PartName & keyof typeof ITEMS] | "input" | "output" | "per_call") => string,
): string[] {
  if (!before || !after) return [];
  const further = parts.map(({ part, of }) => {
    if (part === "variant" || part === "serviceTier" || part === "hours") return of;
    return part === "tier" ? `> ${formatShort(Number(of))}` : nameOf(ITEMS[part]);
  });
  if (is_base_same) return further;
  if (!("modelRatio" in after)) return [nameOf("per_call"), ...further];
  const old = "modelRatio" in before ? before : null;
  const hasOtherInput = Number(old?.modelRatio) !== Number(after.modelRatio);
  const outputOf = (tag: typeof after) => Number(tag.modelRatio) * Number(tag.completionRatio);
  const hasOtherOutput = !old || outputOf(old) !== outputOf(after);
  return [...(hasOtherInput ? [nameOf("input")] : []), ...(hasOtherOutput ? [nameOf("output")] : []), ...further];
}

/** The starts of the periods in which something happened. */
export const markedPeriods = (marks: readonly ChartMark[], periods: readonly number[]): number[] => [
  ...new Set(marks.map(({ at }) => periods.findLast((start) => start <= at)).filter((start) => start !== undefined)),
];
