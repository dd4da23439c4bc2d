import Box from "@mui/material/Box";
import TabItem from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { readData } from "../api/client.ts";
import { paymentApi } from "../api/groups.ts";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { AgentLink } from "../features/agents/AgentLink.tsx";
import { CheckInCard } from "../features/rewards/CheckInCard.tsx";
import { InvitationCard } from "../features/rewards/InvitationCard.tsx";
import { BalanceCard } from "../features/wallet/BalanceCard.tsx";
import { OrderTable } from "../features/wallet/OrderTable.tsx";
import { RebateTable } from "../features/wallet/RebateTable.tsx";
import { RedeemCard } from "../features/wallet/RedeemCard.tsx";
import { TopUpCard } from "../features/wallet/TopUpCard.tsx";
import { topUpWays } from "../features/wallet/wallet-calls.ts";

const LISTS = ["orders", "rebates"] as const;

/** What I have, ways to add to it, and what was added. */
export const WalletPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const { data: ways } = useQuery(topUpWays);
  const list = LISTS.find((name) => name === address.text("list")) ?? "orders";
  return (
    <>
      <PageHeader title={t("wallet.title")} purpose={t("wallet.purpose")} actions={<AgentLink />} />
      <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "minmax(0,1fr)", md: "minmax(280px,1fr) 2fr" } }}>
        <BalanceCard />
        <TopUpCard />
      </Box>
      <Box
        sx={{
          mt: 4,
          display: "grid",
          gap: 4,
          gridTemplateColumns: { xs: "minmax(0,1fr)", md: "repeat(auto-fit, minmax(300px, 1fr))" },
        }}
      >
        <CheckInCard />
        <RedeemCard given={address.text("code")} link={ways?.link ?? ""} />
      </Box>
      <Box sx={{ mt: 4 }}>
        <InvitationCard />
      </Box>
      <Tabs
        value={list}
        onChange={(_, next: string) => address.set({ list: next, sort: undefined, order: undefined })}
        aria-label={t("wallet.lists.label")}
        sx={{ mt: 6, mb: 3 }}
      >
        {LISTS.map((name) => (
          <TabItem key={name} value={name} label={t(`wallet.lists.${name}`)} id={`tab-${name}`} aria-controls="list" />
        ))}
      </Tabs>
      <div role="tabpanel" id="list" aria-labelledby={`tab-${list}`}>
        {list === "orders" ? (
          <OrderTable />
        ) : (
          <RebateTable
            name="rebates"
            read={(query, signal) => readData(paymentApi.user.topup.rebates.get({ query, fetch: { signal } }))}
          />
        )}
      </div>
    </>
  );
};
