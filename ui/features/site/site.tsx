import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { DEFAULT_MONEY_FORMAT, MoneyFormatProvider } from "../../components/money-format.tsx";
import { notifyError } from "../../components/notify.tsx";
import { rememberedStatus, type SiteStatus, siteStatus } from "./site-status.ts";

const Context = createContext<SiteStatus | undefined>(undefined);

/** The site's status; undefined on a first visit until it has arrived. */
export const useSite = (): SiteStatus | undefined => useContext(Context);

/** The site's name, as its administrator chose it. */
export const useSiteName = (): string => useSite()?.system_name || "Sluice";

/** Loads the site's status and shows amounts its way. */
export const SiteProvider = ({ children }: { children: ReactNode }) => {
  const { t } = useTranslation();
  const { data, isError } = useQuery({ ...siteStatus, placeholderData: rememberedStatus });
  useEffect(() => {
    if (isError) notifyError(t("shell.statusFailed"));
  }, [isError, t]);
  const format = useMemo(
    () => (data ? { quotaPerUnit: data.quota_per_unit, inCurrency: data.display_in_currency } : DEFAULT_MONEY_FORMAT),
    [data],
  );
  return (
    <Context value={data}>
      <MoneyFormatProvider value={format}>{children}</MoneyFormatProvider>
    </Context>
  );
};
