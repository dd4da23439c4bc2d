import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Money } from "../../../../components/display/Money.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { Panel } from "../../../../components/layout.tsx";
import { useAddress } from "../../../../components/use-address.ts";
import { type UsageView, usageSeries } from "../../entries/data-queries.ts";
import { totalsOf } from "../series-values.ts";
import { HomeRow } from "./HomeRow.tsx";

const SHOWN = 5;

/** Who spent most in the period; a click limits the dashboard to them. */
export const TopUsersPanel = ({ view: { period, filter } }: { view: UsageView }) => {
  const { t } = useTranslation();
  const address = useAddress({ keepsPlace: true });
  const { data, error, refetch } = useQuery(usageSeries("all", period, filter, { by: "user", step: "week" }));
  const users = (data ?? [])
    .filter(({ key }) => key !== null)
    .map((one) => ({ key: one.key, name: one.name, quota: totalsOf([one]).quota }))
    .filter(({ quota }) => quota > 0)
    .toSorted((one, other) => other.quota - one.quota)
    .slice(0, SHOWN);
  const most = users[0]?.quota ?? 0;
  return (
    <Panel title={t("usage.topUsers")} action={<Link to="/user">{t("usage.allUsers")}</Link>}>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={160} />}
      {data && users.length === 0 && <Box sx={{ color: "text.secondary", fontSize: 13 }}>{t("usage.noCalls")}</Box>}
      {users.map(({ key, name, quota }) => (
        <HomeRow
          key={key}
          name={
            <Box
              component="button"
              type="button"
              onClick={() => address.set({ user: name })}
              sx={{
                ...{ p: 0, border: 0, bgcolor: "transparent", font: "inherit", color: "inherit", cursor: "pointer" },
                ...{ textAlign: "left", overflowWrap: "anywhere", "&:hover": { textDecoration: "underline" } },
              }}
            >
              {name}
            </Box>
          }
          detail={
            <Box sx={{ height: 4, mt: 1, borderRadius: 1, bgcolor: "line.faint" }}>
              <Box sx={{ height: 4, borderRadius: 1, bgcolor: "series.s1", width: `${(100 * quota) / most}%` }} />
            </Box>
          }
        >
          <Money quota={quota} strong />
        </HomeRow>
      ))}
    </Panel>
  );
};
