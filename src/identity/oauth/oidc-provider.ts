import type * as Library from 'oidc-provider';
// @ts-expect-error the types are those of the package's entry
import * as errorsOf from 'oidc-provider/lib/helpers/errors.js';
// @ts-expect-error likewise
import * as policyOf from 'oidc-provider/lib/helpers/interaction_policy/index.js';
// @ts-expect-error likewise
import internalsOf from 'oidc-provider/lib/helpers/weak_cache.js';
// @ts-expect-error likewise
import { Provider as ProviderOf } from 'oidc-provider/lib/provider.js';

/**
 * The OAuth library, imported by its inner modules: on Node 20 its entry point warns at every start. The library needs
 * only URL.parse of a later Node, and calls it only during requests.
 */
if (!('parse' in URL)) {
  const parse = (text: string, base?: string) => (URL.canParse(text, base) ? new URL(text, base) : null);
  Object.defineProperty(URL, 'parse', { value: parse, configurable: true, writable: true });
}

export const Provider: typeof Library.Provider = ProviderOf;
export type Provider = Library.Provider;
export const errors: typeof Library.errors = errorsOf;
export const interactionPolicy: typeof Library.interactionPolicy = policyOf;
type GrantHandler = (ctx: Library.KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/** Returns a provider's grant handlers by grant type. They can be replaced. */
export const grantHandlers = (provider: Provider): Map<string, GrantHandler> =>
  (internalsOf as (of: Provider) => { grantTypeHandlers: Map<string, GrantHandler> })(provider).grantTypeHandlers;

export type {
  Adapter,
  AdapterPayload,
  Configuration,
  ErrorOut,
  InteractionResults,
  KoaContextWithOIDC,
} from 'oidc-provider';
