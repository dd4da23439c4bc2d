import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSession } from "../../../state/session.ts";
import { priceChanges } from "../../models/pricing/pricing.ts";
import { channelMarks } from "../data-queries.ts";

/** Something that may explain a step in the chart. */
export type ChartMark = Readonly<{
  /** Epoch seconds. */
  at: number;
  text: string;
  to: "/pricing" | "/audit" | "/channel";
}>;

/** Price changes in a period and, for administrators, channels that went off or came back; newest first. */
export function useChartMarks(period: Readonly<{ start: number; end: number }>, isForAdmin: boolean): ChartMark[] {
  const { t } = useTranslation();
  const { user } = useSession();
  const prices = useInfiniteQuery(priceChanges(user?.id));
  const switched = useQuery({ ...channelMarks(period), enabled: isForAdmin });
  const changed = (prices.data?.pages[0]?.items ?? [])
    .filter(({ changed_at }) => changed_at >= period.start && changed_at <= period.end)
    .map(({ changed_at, model_name, before, after }): ChartMark => {
      const kind = before === null ? "added" : after === null ? "removed" : "price";
      return { at: changed_at, text: t(`dashboard.marks.${kind}`, { model: model_name }), to: "/pricing" };
    });
  const channels = (isForAdmin ? (switched.data ?? []) : []).map(({ at, kind, name }): ChartMark => {
    if (kind === "channel_recovered")
      return { at, text: t("dashboard.marks.channel_recovered", { name }), to: "/channel" };
    const text = name === "" ? t(`dashboard.marks.${kind}_several`) : t(`dashboard.marks.${kind}`, { name });
    return { at, text, to: "/audit" };
  });
  return [...changed, ...channels].toSorted((one, other) => other.at - one.at);
}

/** The starts of the periods in which something happened. */
export const markedPeriods = (marks: readonly ChartMark[], periods: readonly number[]): number[] => [
  ...new Set(marks.map(({ at }) => periods.findLast((start) => start <= at)).filter((start) => start !== undefined)),
];
