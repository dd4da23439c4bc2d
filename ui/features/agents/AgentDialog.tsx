import Box from "@mui/material/Box";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import Switch from "@mui/material/Switch";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AgentRow } from "../../../src/domain/wallet/agents/list-agents.ts";
import { Col, Field, Row } from "../../components/layout.tsx";
import { notifyDone } from "../../components/notify.tsx";
import { FormDialog } from "../wallet/FormDialog.tsx";
import { WALLET_KEY } from "../wallet/wallet-calls.ts";
import { saveAgent } from "./agent-calls.ts";

/** Makes a user an agent, or changes an agent's terms. */
export const AgentDialog = ({ agent, onClose }: { agent: AgentRow | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [form, setForm] = useState({
    username: agent?.username ?? "",
    rate: agent ? String(Number(agent.rate)) : "10",
    is_active: agent?.is_active ?? true,
    note: agent?.note ?? "",
  });
  const [isTried, setTried] = useState(false);
  const save = useMutation({
    mutationFn: () => saveAgent(form),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("agents.form.done"));
      onClose();
    },
  });
  const rate = Number(form.rate);
  const isRateWrong = !(rate > 0 && rate <= 100);
  const isNameMissing = form.username.trim() === "";
  return (
    <FormDialog
      title={agent ? t("agents.form.edit", { name: agent.username }) : t("agents.form.add")}
      action={t("agents.form.save")}
      isBusy={save.isPending}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (!isRateWrong && !isNameMissing) save.mutate();
      }}
    >
      <Col gap={4}>
        {!agent && (
          <Field
            label={t("agents.form.username")}
            htmlFor="agent-name"
            error={isTried && isNameMissing && t("agents.form.usernameMissing")}
          >
            <OutlinedInput
              id="agent-name"
              fullWidth
              autoFocus
              value={form.username}
              onChange={(event) => setForm({ ...form, username: event.target.value })}
              error={isTried && isNameMissing}
              inputProps={{ autoComplete: "off" }}
            />
          </Field>
        )}
        <Field
          label={t("agents.rate")}
          htmlFor="agent-rate"
          hint={t("agents.form.rateHint")}
          error={(isRateWrong && t("agents.form.rateWrong")) || save.error?.message}
        >
          <OutlinedInput
            id="agent-rate"
            fullWidth
            value={form.rate}
            onChange={(event) => setForm({ ...form, rate: event.target.value.trim() })}
            error={isRateWrong}
            inputProps={{ inputMode: "decimal", className: "num" }}
            endAdornment={<InputAdornment position="end">%</InputAdornment>}
          />
        </Field>
        <Row gap={3}>
          <Switch
            checked={form.is_active}
            onChange={(event) => setForm({ ...form, is_active: event.target.checked })}
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
            onChange={(event) => setForm({ ...form, note: event.target.value })}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
      </Col>
    </FormDialog>
  );
};
