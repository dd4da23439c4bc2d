import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readData } from "../../../../api/client.ts";
import { providerKeyApi, responseCacheApi } from "../../../../api/groups.ts";
import { Money } from "../../../../components/display/Money.tsx";
import { Panel } from "../../../../components/layout.tsx";
import { formatNumber } from "../../../../lib/format/number.ts";
import type { DataScope, UsageView } from "../../entries/data-queries.ts";
import { useCacheFacts } from "./cache-facts.tsx";
import { HomeRow } from "./HomeRow.tsx";

type Props = Readonly<{ view: UsageView }>;

/** What the cache of responses did in the days of the period; nothing where it did nothing, or where sums are narrower. */
export const CachePanel = ({ view: { scope, period, filter } }: Props) => {
  const { t } = useTranslation();
  const { model, ...narrower } = filter;
  const { data } = useQuery({
    queryKey: ["home", "response-cache", scope, period],
    queryFn: ({ signal }) => readCache(scope, period, signal),
    placeholderData: keepPreviousData,
    enabled: Object.values(narrower).every((value) => value === undefined),
  });
  const facts = useCacheFacts(data?.filter((day) => model === undefined || day.model === model) ?? [], scope);
  if (!facts) return null;
  return (
    <Panel title={t("receipt.savings.cache.title")}>
      {facts.map(([name, value]) => (
        <HomeRow key={name} name={name}>
          {value}
        </HomeRow>
      ))}
    </Panel>
  );
};

/** What calls by callers' own keys came to; nothing where there were none, or where sums are narrower. */
export const OwnKeysPanel = ({ view: { period, filter } }: Props) => {
  const { t } = useTranslation();
  const { data = [] } = useQuery({
    queryKey: ["home", "provider-keys", period],
    queryFn: ({ signal }) => readData(providerKeyApi.usage.get({ query: queryOf(period), fetch: { signal } })),
    placeholderData: keepPreviousData,
    enabled: Object.values(filter).every((value) => value === undefined),
  });
  if (data.length === 0) return null;
  const sum = (name: "calls" | "fees" | "worth") => data.reduce((total, day) => total + day[name], 0);
  return (
    <Panel title={t("receipt.savings.keys.title")}>
      <HomeRow name={t("receipt.savings.keys.calls")}>{formatNumber(sum("calls"))}</HomeRow>
      <HomeRow name={t("receipt.savings.keys.fees")}>
        <Money quota={sum("fees")} />
      </HomeRow>
      <HomeRow name={t("receipt.savings.keys.worth")}>
        <Money quota={sum("worth")} />
      </HomeRow>
    </Panel>
  );
};

const queryOf = ({ start, end }: UsageView["period"]) => ({ days: 30, start_timestamp: start, end_timestamp: end });

function readCache(scope: DataScope, period: UsageView["period"], signal: AbortSignal) {
  const call = scope === "all" ? responseCacheApi : responseCacheApi.self;
  return readData(call.get({ query: queryOf(period), fetch: { signal } }));
}
