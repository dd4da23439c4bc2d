import Box from "@mui/material/Box";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import Switch from "@mui/material/Switch";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { agentRate } from "../../../../src/domain/wallet/agents/agent-rules.ts";
import type { AgentRow } from "../../../../src/domain/wallet/agents/agents.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { saveAgent } from "./agent-calls.ts";

/** Makes a user an agent, or edits an agent's terms. */
export const AgentDialog = ({ agent, onClose }: { agent: AgentRow | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: {
      username: agent?.username ?? "",
      rate: agent ? String(Number(agent.rate)) : "10",
      is_active: agent?.is_active ?? true,
      note: agent?.note ?? "",
    },
    check: ({ username, rate }) => ({
      username: username.trim() === "" ? "usernameMissing" : undefined,
      rate: agentRate(rate) === null ? "rateWrong" : undefined,
    }),
    eager: ["rate"],
    rejection: "inline",
    send: async (terms) => {
      await saveAgent(terms);
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("agents.form.done"));
      onClose();
    },
  });
  return (
    <FormDialog
      title={agent ? t("agents.form.edit", { name: agent.username }) : t("agents.form.add")}
      action={t("agents.form.save")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        {!agent && (
          <Field
            label={t("agents.form.username")}
            htmlFor="agent-name"
            error={faults.username && t(`agents.form.${faults.username}`)}
          >
            <OutlinedInput
              id="agent-name"
              fullWidth
              autoFocus
              value={form.username}
              onChange={(event) => change({ username: event.target.value })}
              error={faults.username !== undefined}
              inputProps={{ autoComplete: "off" }}
            />
          </Field>
        )}
        <Field
          label={t("agents.rate")}
          htmlFor="agent-rate"
          hint={t("agents.form.rateHint")}
          error={faults.rate ? t(`agents.form.${faults.rate}`) : problem}
        >
          <OutlinedInput
            id="agent-rate"
            fullWidth
            value={form.rate}
            onChange={(event) => change({ rate: event.target.value.trim() })}
            error={faults.rate !== undefined}
            inputProps={{ inputMode: "decimal", className: "num" }}
            endAdornment={<InputAdornment position="end">%</InputAdornment>}
          />
        </Field>
        <Row gap={3}>
          <Switch
            checked={form.is_active}
            onChange={(event) => change({ is_active: event.target.checked })}
            slotProps={{ input: { id: "agent-active" } }}
          />
          <Box>
            <label htmlFor="agent-active" style={{ fontSize: 13 }}>
              {t("agents.active")}
            </label>
            <Box sx={{ fontSize: 12, color: "text.secondary" }}>{t("agents.form.activeHint")}</Box>
          </Box>
        </Row>
        <Field label={t("agents.note")} htmlFor="agent-note">
          <OutlinedInput
            id="agent-note"
            fullWidth
            value={form.note}
            onChange={(event) => change({ note: event.target.value })}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};
