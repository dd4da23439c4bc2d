import { integer, optionalAddress, optionalText, serviceAddress, text, variable } from "../variables.ts";

/** The variables by which secret managers are reached. Their names are those of the managers' own tools where these have one. */
export const secretManagerVariables = {
  /** Milliseconds after which a secret is read again. */
  refreshMs: integer("SECRET_REFRESH_SECONDS", 300, { min: 1, max: 86_400, times: 1000 }),
  vault: {
    address: optionalAddress("VAULT_ADDR"),
    namespace: optionalText("VAULT_NAMESPACE"),
    token: optionalText("VAULT_TOKEN", { isSecret: true }),
    /** AppRole. */
    roleId: optionalText("VAULT_ROLE_ID"),
    secretId: optionalText("VAULT_SECRET_ID", { isSecret: true }),
    /** A role of the Kubernetes method. */
    kubernetesRole: optionalText("VAULT_KUBERNETES_ROLE"),
    kubernetesTokenFile: variable(
      "VAULT_KUBERNETES_TOKEN_FILE",
      (value) => value ?? "/var/run/secrets/kubernetes.io/serviceaccount/token",
      { isForTests: true },
    ),
  },
  aws: {
    region: variable("AWS_REGION", (value) => value, { aliases: ["AWS_DEFAULT_REGION"] }),
    accessKeyId: optionalText("AWS_ACCESS_KEY_ID"),
    secretAccessKey: optionalText("AWS_SECRET_ACCESS_KEY", { isSecret: true }),
    sessionToken: optionalText("AWS_SESSION_TOKEN", { isSecret: true }),
    endpoint: optionalAddress("AWS_ENDPOINT_URL_SECRETS_MANAGER"),
  },
  gcp: {
    credentialsFile: optionalText("GOOGLE_APPLICATION_CREDENTIALS"),
    endpoint: serviceAddress("SECRET_MANAGER_URL", "https://secretmanager.googleapis.com"),
    /** Answers inside Google Cloud, where no file of credentials is needed. */
    metadataHost: text("GCE_METADATA_HOST", "metadata.google.internal"),
  },
};
