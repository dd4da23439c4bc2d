import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccount } from "../../../api/accounts/use-organization.ts";
import { TOKENS_KEY, tokenPage, usableModels } from "../../../api/api-keys/api-key.ts";
import { Money } from "../../../components/display/Money.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { HowToUse } from "../../api-keys/HowToUse.tsx";
import { KeyStep } from "./step-forms.tsx";

const NEWEST = { page: 0, pageSize: 10 } as const;

/** Where a new user begins: the balance, a key, a first message, and the same as code; or who has to do something before. */
export const NewUserPage = () => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: account } = useAccount();
  const { data: tokens } = useQuery(tokenPage(NEWEST));
  const { data: models } = useQuery(usableModels);
  const [token] = tokens?.items ?? [];
  const isBroke = account !== undefined && account.quota <= 0;
  const hasNoModels = models?.length === 0;
  return (
    <>
      <PageHeader title={t("firstSteps.user.title")} purpose={t("firstSteps.user.purpose")} />
      <Col gap={4}>
        <Panel
          title={t("firstSteps.user.balance")}
          action={
            <Button component={Link} to="/topup" size="small">
              {t("firstSteps.user.credit")}
            </Button>
          }
        >
          <Row sx={{ fontSize: 20, fontWeight: 620 }}>{account ? <Money quota={account.quota} /> : "…"}</Row>
          {isBroke && (
            <Alert severity="warning" sx={{ mt: 3 }}>
              {t("firstSteps.user.broke")}
            </Alert>
          )}
        </Panel>
        <Panel title={t("firstSteps.key.title")}>
          {token ? (
            <Row gap={3} wrap>
              <code>{token.name}</code>
              <Button component={Link} to="/token" size="small">
                {t("firstSteps.user.keys")}
              </Button>
            </Row>
          ) : (
            <KeyStep onCreated={() => void client.invalidateQueries({ queryKey: TOKENS_KEY })} />
          )}
        </Panel>
        <Panel title={t("firstSteps.user.first")}>
          {hasNoModels ? (
            <Alert severity="info">{t("apiKeys.noModels.user")}</Alert>
          ) : (
            <Button component={Link} to="/playground" variant="contained" color="primary" disabled={isBroke}>
              {t("firstSteps.call.action")}
            </Button>
          )}
        </Panel>
      </Col>
      <HowToUse token={token} />
    </>
  );
};
