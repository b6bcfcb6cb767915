/*
 * Forms of keys and tokens that services give out, each as its issuer documents it. A register is read by many and forgets
 * nothing, so no text of it may hold one. Words about passwords, digests and ids have none of these forms.
 */

interface SecretForm {
  /** The secret in words, as a refusal names it. */
  name: string;
  form: RegExp;
}

const FORMS: readonly SecretForm[] = [
  { name: 'a private key', form: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY/ },
  { name: 'an age secret key', form: /\bAGE-SECRET-KEY-1[A-Z0-9]{58}/ },
  { name: 'a JSON web token', form: /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/ },
  { name: 'a token of veritrail', form: /\bvt[rof]_[0-9A-Za-z]{49}\b/ },
  { name: 'an address with a password', form: /:\/\/[^\s/:@]{0,100}:[^\s/:@]{1,200}@[^\s/]/ },
  { name: 'an access key of AWS', form: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/ },
  { name: 'a secret key of AWS', form: /aws_?secret_?(?:access_?)?key["']?\s?[=:]\s?["']?[A-Za-z0-9/+]{40}\b/i },
  { name: 'a key of Azure storage', form: /\bAccountKey=[A-Za-z0-9+/]{80,90}==/ },
  { name: 'a client secret of Microsoft Entra', form: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/ },
  { name: 'an API key of Google', form: /\bAIza[\w-]{35}(?![\w-])/ },
  { name: 'a client secret of Google', form: /\bGOCSPX-[\w-]{28}(?![\w-])/ },
  { name: 'a token of GitHub', form: /\b(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_\w{82})\b/ },
  { name: 'a token of GitLab', form: /\bgl(?:pat|dt|rt|ptt|agent)-[\w-]{20}/ },
  { name: 'a token of Slack', form: /\bxox[abeoprs]-[\w-]{20}|\bxapp-\d-[\w-]{20}/ },
  { name: 'a webhook of Slack', form: /hooks\.slack\.com\/services\/T\w{8,12}\/B\w{8,12}\/\w{20}/ },
  { name: 'a webhook of Discord', form: /discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60}/ },
  { name: 'a key of Stripe', form: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{24}/ },
  { name: 'a key of Anthropic', form: /\bsk-ant-[\w-]{24}/ },
  { name: 'a key of OpenAI', form: /\bsk-(?:proj-|svcacct-|admin-)[\w-]{40}|\bsk-[A-Za-z0-9]{48}\b/ },
  { name: 'a token of Hugging Face', form: /\bhf_[A-Za-z]{34}\b/ },
  { name: 'a token of npm', form: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { name: 'a token of PyPI', form: /\bpypi-AgE[\w-]{50}/ },
  { name: 'a token of Docker Hub', form: /\bdckr_pat_[\w-]{27}/ },
  { name: 'a key of SendGrid', form: /\bSG\.[\w-]{22}\.[\w-]{43}/ },
  { name: 'a key of Twilio', form: /\bSK[0-9a-f]{32}\b/ },
  { name: 'a key of Mailgun', form: /\bkey-[0-9a-f]{32}\b/ },
  { name: 'a token of Telegram', form: /\b\d{8,10}:AA[\w-]{33}(?![\w-])/ },
  { name: 'a token of Shopify', form: /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/ },
  { name: 'a token of DigitalOcean', form: /\bdo[opr]_v1_[0-9a-f]{64}\b/ },
  { name: 'a token of Databricks', form: /\bdapi[0-9a-f]{32}\b/ },
  { name: 'a token of HashiCorp Vault', form: /\bhv[bsr]\.[\w-]{24}/ },
  { name: 'a token of Grafana', form: /\bgl(?:sa|c)_[\w+/=]{32}/ },
];

/** Every form has so many characters without a space, begins a block, or is an address. Most texts end here. */
const MAY_BE_SECRET = /[\w+/=.:@~-]{20}|-----BEGIN|:\/\//;

/** Returns the first key or token in a text in words, such as "a token of GitHub"; null if it has none of a known form. */
export function secretIn(text: string): string | null {
  if (!MAY_BE_SECRET.test(text)) return null;
  return FORMS.find(({ form }) => form.test(text))?.name ?? null;
}
