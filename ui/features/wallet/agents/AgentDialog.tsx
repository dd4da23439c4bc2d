import { useTranslation } from "react-i18next";
import { agentRate } from "../../../../src/domain/wallet/agents/agent-rules.ts";
import type { AgentRow } from "../../../../src/domain/wallet/agents/agents.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { saveAgent } from "./agent-calls.ts";

/** Makes a user an agent, or edits an agent's terms. */
export const AgentDialog = ({ agent, onClose }: { agent: AgentRow | null; onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ResourceForm
      as="dialog"
      title={agent ? t("agents.form.edit", { name: agent.username }) : t("agents.form.add")}
      action={t("agents.form.save")}
      isNew={agent === null}
      text={(name) => `agents.form.${name}`}
      initial={{
        username: agent?.username ?? "",
        rate: agent ? String(Number(agent.rate)) : "10",
        is_active: agent?.is_active ?? true,
        note: agent?.note ?? "",
      }}
      check={({ username, rate }) => ({
        username: username.trim() === "" ? "usernameMissing" : undefined,
        rate: agentRate(rate) === null ? "rateWrong" : undefined,
      })}
      fault={(fault) => t(`agents.form.${fault}`)}
      eager={["rate"]}
      follow={({ rate }) => (rate === undefined ? {} : { rate: rate.trim() })}
      rejectedField={() => "rate"}
      save={async (terms) => {
        await saveAgent(terms);
        return t("agents.form.done");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={() => [
        {
          fields: [
            !agent && { kind: "text", field: "username", autoFocus: true },
            { kind: "number", field: "rate", label: t("agents.rate"), hint: true, end: "%" },
            { kind: "switch", field: "is_active", label: t("agents.active"), hint: t("agents.form.activeHint") },
            { kind: "text", field: "note", label: t("agents.note"), maxCharacters: 500 },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
