import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { AgentInfo } from "../../../src/domain/wallet/agents/read-agent.ts";
import { Panel, Row } from "../../components/layout.tsx";
import { Count, Money } from "../../components/Money.tsx";
import { useMoneyFormat } from "../../components/money-format.tsx";
import { StatusChip } from "../../components/StatusChip.tsx";

type Props = { agent: AgentInfo; onTransfer: () => void; onWithdraw: () => void };

/** An agent's terms and earnings. */
export const AgentSummary = ({ agent, onTransfer, onWithdraw }: Props) => {
  const { t } = useTranslation();
  const { quotaPerUnit } = useMoneyFormat();
  return (
    <Panel
      title={t("agents.own.summary")}
      action={
        <StatusChip tone={agent.is_active ? "ok" : "idle"}>
          {agent.is_active ? t("agents.active") : t("agents.paused")}
        </StatusChip>
      }
    >
      <Row gap={8} wrap sx={{ rowGap: 4, alignItems: "flex-end" }}>
        <Fact name={t("agents.balance")} isLarge>
          <Money quota={agent.balance} />
        </Fact>
        <Fact name={t("agents.held")}>
          <Money quota={agent.held} />
        </Fact>
        <Fact name={t("agents.paid")}>
          <Money quota={agent.paid} />
        </Fact>
        <Fact name={t("agents.earned")}>
          <Money quota={agent.earned} />
        </Fact>
        <Fact name={t("agents.rate")}>{`${Number(agent.rate)}%`}</Fact>
        <Fact name={t("agents.invited")}>
          <Count value={agent.invited} />
        </Fact>
        <Row gap={2} sx={{ ml: "auto" }}>
          <Button onClick={onTransfer} disabled={agent.balance < quotaPerUnit}>
            {t("rewards.invitation.transfer")}
          </Button>
          <Button variant="contained" color="primary" onClick={onWithdraw} disabled={agent.balance < quotaPerUnit}>
            {t("agents.withdraw.action")}
          </Button>
        </Row>
      </Row>
    </Panel>
  );
};

const Fact = ({ name, isLarge, children }: { name: string; isLarge?: boolean; children: ReactNode }) => (
  <Box>
    <Box sx={{ fontSize: 12, lineHeight: "16px", color: "text.secondary" }}>{name}</Box>
    <Box sx={{ fontSize: isLarge ? 26 : 16, lineHeight: isLarge ? "34px" : "24px", fontWeight: 620 }}>{children}</Box>
  </Box>
);
