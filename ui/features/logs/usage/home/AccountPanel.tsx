import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { lastsDays } from "../../../../../src/domain/logs/usage/pace/pace-rules.ts";
import { useAccount } from "../../../../api/accounts/use-organization.ts";
import { tokenPage } from "../../../../api/api-keys/api-key.ts";
import { readData } from "../../../../api/client.ts";
import { dataApi } from "../../../../api/groups.ts";
import { Money } from "../../../../components/display/Money.tsx";
import { Panel, Row } from "../../../../components/layout.tsx";
import { formatNumber } from "../../../../lib/format/number.ts";
import { HomeRow } from "./HomeRow.tsx";

const FIRST_PAGE = { page: 0, pageSize: 1 } as const;

/** The account's balance, how long it lasts at last week's rate, and its keys. */
export const AccountPanel = () => {
  const { t } = useTranslation();
  const { data: account } = useAccount();
  const keys = useQuery(tokenPage(FIRST_PAGE)).data?.total;
  const pace = useQuery({
    queryKey: ["data", "own-pace", account?.id],
    queryFn: ({ signal }) => readData(dataApi.self.pace.get({ query: {}, fetch: { signal } })),
    enabled: account !== undefined,
  }).data;
  if (!account) return null;
  const days = lastsDays(account.quota, pace?.[account.id] ?? 0);
  return (
    <Panel
      title={t("usage.balance")}
      action={
        <Button component={Link} to="/topup" size="small">
          {t("failures.fixes.credit")}
        </Button>
      }
    >
      <Row gap={3} wrap sx={{ mb: 2 }}>
        <Box sx={{ fontSize: 20, fontWeight: 620 }}>
          <Money quota={account.quota} />
        </Box>
        {days !== null && (
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("components.balanceLasts", { count: days })}</Box>
        )}
      </Row>
      {keys !== undefined && (
        <HomeRow name={t("shell.tokens")} to="/token">
          <Box className="num" sx={{ fontWeight: 600 }}>
            {formatNumber(keys)}
          </Box>
        </HomeRow>
      )}
    </Panel>
  );
};
