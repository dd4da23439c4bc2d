import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Money } from "../../../../components/display/Money.tsx";
import { formatNumber, formatShare } from "../../../../lib/format/number.ts";
import type { DataScope } from "../../entries/data-queries.ts";

type CacheDay = Readonly<{ hits: number; misses: number; saved: number; tokens: number; upstream_saved: number }>;

/** What the cache of responses did on these days, name by name; null: nothing. */
export function useCacheFacts(
  days: readonly CacheDay[],
  scope: DataScope,
): readonly (readonly [string, ReactNode])[] | null {
  const { t } = useTranslation();
  const sum = (name: keyof CacheDay) => days.reduce((total, day) => total + day[name], 0);
  const [hits, misses] = [sum("hits"), sum("misses")];
  if (hits + misses === 0) return null;
  const upstream = sum("upstream_saved");
  return [
    [t("receipt.savings.cache.hits"), formatNumber(hits)],
    [t("receipt.savings.cache.rate"), formatShare(hits / (hits + misses))],
    [
      t(scope === "all" ? "receipt.savings.cache.saved" : "receipt.savings.cache.ownSaved"),
      <Money key="saved" quota={sum("saved")} />,
    ],
    ...(upstream > 0
      ? [[t("receipt.savings.cache.upstreamSaved"), <Money key="upstream" quota={upstream} />] as const]
      : []),
    [t("receipt.savings.cache.tokens"), formatNumber(sum("tokens"))],
  ];
}
