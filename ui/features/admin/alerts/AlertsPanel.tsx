import Add from "@mui/icons-material/AddOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Row } from "../../../components/layout.tsx";
import { type AlertScope, type Destination, destinationList, type Rule, ruleList } from "./alert-calls.ts";
import { DeliveryTable } from "./DeliveryTable.tsx";
import { DestinationDrawer } from "./DestinationDrawer.tsx";
import { DestinationTable } from "./DestinationTable.tsx";
import { RuleDrawer } from "./RuleDrawer.tsx";
import { RuleTable } from "./RuleTable.tsx";

/** Destinations of alerts, rules, and the log of what was sent to them. */
export const AlertsPanel = ({ scope }: { scope: AlertScope }) => {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<{ destination: Destination | null } | null>(null);
  const [openedRule, setOpenedRule] = useState<{ rule: Rule | null } | null>(null);
  // An empty part has the button in it.
  const hasDestinations = (useQuery(destinationList(scope)).data ?? []).length > 0;
  const hasRules = (useQuery(ruleList(scope)).data ?? []).length > 0;
  const addRule = (
    <Button startIcon={<Add />} onClick={() => setOpenedRule({ rule: null })}>
      {t("alerts.rules.add")}
    </Button>
  );
  const add = (
    <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ destination: null })}>
      {t("alerts.add")}
    </Button>
  );
  return (
    <Col gap={6}>
      <Part title={t("alerts.destinations")} hint={t("alerts.destinationsHint")} action={hasDestinations && add}>
        <DestinationTable scope={scope} add={add} onEdit={(destination) => setOpened({ destination })} />
      </Part>
      <Part title={t("alerts.rules.title")} hint={t("alerts.rules.hint")} action={hasRules && addRule}>
        <RuleTable scope={scope} add={addRule} onEdit={(rule) => setOpenedRule({ rule })} />
      </Part>
      <Part title={t("alerts.log.title")} hint={t("alerts.log.hint")}>
        <DeliveryTable scope={scope} />
      </Part>
      {opened && <DestinationDrawer scope={scope} destination={opened.destination} onClose={() => setOpened(null)} />}
      {openedRule && <RuleDrawer scope={scope} rule={openedRule.rule} onClose={() => setOpenedRule(null)} />}
    </Col>
  );
};

type PartProps = Readonly<{ title: string; hint: string; action?: ReactNode; children: ReactNode }>;

const Part = ({ title, hint, action, children }: PartProps) => (
  <Box component="section">
    <Row sx={{ mb: 2 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography variant="h2">{title}</Typography>
        <Typography variant="caption" sx={{ color: "text.tertiary" }}>
          {hint}
        </Typography>
      </Box>
      {action}
    </Row>
    {children}
  </Box>
);
