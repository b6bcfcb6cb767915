/**
 * A new owner's first steps. The service prints a link, and the owner signs in with a real Chromium. The owner then
 * creates a token and uses the shown configurations as they stand, or allows a stock client that signs in by itself.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Browser, Request } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Autonomy } from '../../src/register/proposal.ts';
import { connectByOAuth } from '../support/identity/oauth-client.ts';
import { authorizeUrl, newClient, pkce } from '../support/identity/oauth-raw.ts';
import { OWNER, setUp, signIn } from '../support/identity/owner.ts';
import { connectByCommand, mcpRemote } from '../support/mcp/stdio-client.ts';
import { type Service, startService } from '../support/service.ts';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';
import { checkPage } from '../support/web/check-page.ts';
import {
  connectByConfiguration,
  organizationsOf,
  pastedArguments,
  runPastedCommand,
} from '../support/web/paste-configuration.ts';

interface Context {
  service: Service;
  endpoint: string;
  window: Window;
}

const browser = await startBrowser();
if (browser) run(browser);

function run(browser: Browser): void {
  const test = suite<Context>('assistants in Chromium');

  test.before(async (context) => {
    context.service = await startService();
    context.endpoint = `${context.service.url}/api/mcp/v1`;
    context.window = await openWindow(browser, context.service.url);
    await setUp(context.window.page, context.service);
  });
  test.after(async ({ service }) => {
    await closeBrowsers();
    await service.stop();
  });

  test('creates a token; each shown configuration works unchanged until the token is revoked', async (context) => {
    const { service, window, endpoint } = context;
    const { page } = window;
    const configurationText = await createToken(context, 'Laptop');
    const all = [service.organizationId];

    for (const id of ['cursor', 'claude-code-file', 'vscode', 'zed', 'claude-desktop']) {
      const { client, close } = await connectByConfiguration(configurationText(id));
      assert.equal(await organizationsOf(client), all, id);
      await close();
    }
    const remote = await connectByCommand({ command: 'sh', args: ['-c', configurationText('mcp-remote')] });
    assert.equal(await organizationsOf(remote.client), all);
    await remote.close();
    assert.match(await runPastedCommand(configurationText('curl')), all[0]!);
    const words = await pastedArguments(configurationText('claude-code'), 'claude');
    const headers = { Authorization: words.at(-1)!.replace('Authorization: ', '') };
    assert.ok(words.includes(endpoint));
    const last = await connectByConfiguration(JSON.stringify({ mcpServers: { one: { url: endpoint, headers } } }));
    assert.equal(await organizationsOf(last.client), all);

    await page.goto('/settings/tokens');
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Laptop' }) });
    await card.locator('summary', { hasText: 'Revoke' }).click();
    await card.getByRole('button', { name: /Revoke/ }).click();
    await page.locator('.notice.done').waitFor();
    assert.is(await statusOf(last.client), 401);
    await last.close();
    assert.equal(window.complaints, []);
  });

  test('proposes a week of 20 calls; a person approves 17, changes 2 and declines 1 in 11 clicks', async (context) => {
    const { window, service } = context;
    const { page } = window;
    const configurationText = await createToken(context, 'Week', 'PROPOSE_ONLY');
    const { client, close } = await connectByConfiguration(configurationText('cursor'));
    await proposeWeek(client);
    await close();

    let clicks = 0;
    const click = async (role: 'link' | 'button', name: string) => {
      clicks++;
      await page.getByRole('main').or(page.getByRole('navigation')).getByRole(role, { name, exact: true }).click();
    };
    const noticeSays = (text: string) => page.locator('.notice', { hasText: text }).waitFor();
    await page.goto(`/organizations/${service.organizationId}`);
    await click('link', 'Proposals 20');
    assert.equal(await checkPage(page, 'proposals'), []);
    await click('link', 'Add risk: Risk 8');
    await page.fill('[name=reason]', 'Not ours');
    await click('button', 'Decline');
    await noticeSays('Declined. Nothing was changed.');
    for (const kind of ['risk', 'measure']) {
      await click('link', `Add ${kind}: ${kind === 'risk' ? 'Risk' : 'Measure'} 7`);
      await click('link', 'Approve with changes');
      await page.fill('[name=name]', `A ${kind} that a person named`);
      await click('button', 'Approve with changes');
      await noticeSays('Approved.');
    }
    await click('link', 'Decide on all of this page');
    await page.locator('li', { hasText: 'Linked: Measure 5 and Risk 5' }).waitFor();
    assert.equal(await checkPage(page, 'proposals-several'), []);
    await click('button', 'Approve 17');
    await noticeSays('Approved 17.');
    assert.is(clicks, 11);

    await page.goto(`/organizations/${service.organizationId}/changes`);
    const tells = (how: string) =>
      page.getByText(`${how} by ${OWNER.name}, proposed by ${OWNER.name} with node`).first().waitFor();
    await tells('approved');
    await page.goto(`/organizations/${service.organizationId}/risks`);
    assert.equal((await page.locator('a[data-row]').allTextContents()).sort(), [
      'A risk that a person named',
      ...[1, 2, 3, 4, 5, 6].map((number) => `Risk ${number}`),
    ]);
    await page.getByRole('link', { name: 'A risk that a person named' }).click();
    await tells('approved with changes');
    await page.goBack();
    await page.getByRole('link', { name: 'Risk 5' }).click();
    await page.getByRole('link', { name: 'Measure 5' }).first().waitFor();
    assert.equal(window.complaints, []);
  });

  test('connects the SDK’s client with only the address, and disconnects it', async (context) => {
    const { service, endpoint } = context;
    const window = await openWindow(browser, service.url);
    const { page } = window;
    const connected = await connectByOAuth(endpoint, async (url) => {
      await page.goto(url);
      await signIn(page);
      await page.getByRole('heading', { name: 'Connect Stock client?' }).waitFor();
      assert.equal(await checkPage(page, 'consent'), []);
      await page.getByRole('button', { name: 'Allow' }).click();
    });
    assert.is(connected.answer.get('iss'), service.url);
    assert.equal(await organizationsOf(connected.client), [service.organizationId]);
    await disconnect(window);
    const { access_token } = connected.provider.tokens()!;
    assert.is(await statusWith(endpoint, access_token), 401);
    // The client tries its refresh token, which is revoked too. It would have to ask the person again.
    connected.provider.sentTo = null;
    await connected.client.callTool({ name: 'listOrganizations' }).catch(() => undefined);
    assert.ok(connected.provider.sentTo);
    await connected.close();
    assert.equal(window.complaints, []);
    await window.close();
  });

  test('connects nothing after a denial, and informs the client', async ({ endpoint, window: { page } }) => {
    const answer = await connectByOAuth(endpoint, async (url) => {
      await page.goto(url);
      await page.getByRole('button', { name: 'Deny' }).click();
    }).catch((error: Error) => error.message);
    assert.match(String(answer), 'error=access_denied');
    await page.goto('/settings/assistants');
    assert.is(await page.getByRole('button', { name: 'Disconnect' }).count(), 0);
  });

  test('shows a web client’s wrong request on an error page, whose link tells the client', async ({
    service,
    window,
  }) => {
    const { page } = window;
    const redirect_uri = 'https://an-assistant-with-a-rather-long-name.of-somebody-whom-nobody-knows.example/land';
    const target = { url: service.url, resource: `${service.url}/api/mcp/v1` };
    const client = await newClient(target, { redirect_uris: [redirect_uri] });
    const arrived: Request[] = [];
    await page.route(`${redirect_uri}*`, (route) => {
      arrived.push(route.request());
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>Client</title>' });
    });
    await page.goto(authorizeUrl(target, client, pkce().challenge, { redirect_uri, prompt: 'none' }));
    assert.equal(arrived, []);
    assert.equal(await checkPage(page, 'authorization-error'), []);
    await page.getByRole('link', { name: 'Return to the assistant' }).click();
    await page.waitForURL(`${redirect_uri}*`);
    const { searchParams } = new URL(arrived[0]!.url());
    assert.equal([searchParams.get('error'), searchParams.get('iss')], ['login_required', service.url]);
    assert.is((await arrived[0]!.allHeaders()).referer, undefined);

    const document = 'https://assistant.example/client.json';
    await page.goto(authorizeUrl(target, document, pkce().challenge));
    await page.getByText('This service fetches no such documents').waitFor();
    assert.equal(await checkPage(page, 'authorization-error-document'), []);
    await page.unrouteAll();
  });

  test('connects mcp-remote by the address; it asks for access again after it is disconnected', async (context) => {
    const { service, endpoint, window } = context;
    const { page } = window;
    const allow = async (url: string) => {
      await page.goto(url);
      await page.getByRole('button', { name: 'Allow' }).click();
    };
    const {
      client,
      output,
      waitForAuthorization: asked,
      close,
    } = await connectByCommand(await mcpRemote(endpoint), allow);
    assert.equal(await organizationsOf(client), [service.organizationId], output());
    await disconnect(window);
    const waiting = organizationsOf(client);
    await allow(await asked());
    assert.equal(await waiting, [service.organizationId], output());
    await disconnect(window);
    await close();
    assert.equal(window.complaints, []);
  });

  test.run();
}

/** Proposes 20 calls: eight risks, seven measures, and five links between those. */
async function proposeWeek(client: Client): Promise<void> {
  const propose = async (name: string, input: object): Promise<string> => {
    const { structuredContent } = await client.callTool({ name, arguments: { ...input } });
    const { pending_approval } = structuredContent as { pending_approval?: { record_id?: string } };
    assert.ok(pending_approval, JSON.stringify(structuredContent));
    return pending_approval!.record_id ?? '';
  };
  const add = async (tool: string, name: string, count: number) => {
    const ids: string[] = [];
    for (let number = 1; number <= count; number++) ids.push(await propose(tool, { name: `${name} ${number}` }));
    return ids;
  };
  const [risks, measures] = [await add('addRisk', 'Risk', 8), await add('addMeasure', 'Measure', 7)];
  for (let index = 0; index < 5; index++) {
    await propose('linkRecords', { links: [{ from_id: risks[index], to_id: measures[index] }] });
  }
}

/** Creates a token in Your account → API tokens. Returns a function that looks up the text to paste by its id. */
async function createToken(
  { window: { page } }: Context,
  name: string,
  autonomy: Autonomy = 'DECISIONS_PROPOSED',
): Promise<(id: string) => string> {
  await page.goto('/settings/tokens');
  await page.fill('#new [name=name]', name);
  await page.selectOption('#new [name=autonomy]', autonomy);
  await page.click('#new button[type=submit]');
  const blocks = await page
    .locator('pre[id]')
    .evaluateAll((all) => all.map((element) => [element.id, element.textContent]));
  const texts = new Map(blocks as [string, string][]);
  return (id) => texts.get(id)!;
}

/** Disconnects the only assistant. */
async function disconnect({ page }: Window): Promise<void> {
  await page.goto('/settings/assistants');
  await page.getByRole('button', { name: /^Disconnect / }).click();
  await page.locator('.notice.done').waitFor();
}

/** Returns the status of a refused call. */
async function statusOf(client: Client): Promise<unknown> {
  const error = await client.callTool({ name: 'listOrganizations' }).catch((thrown: unknown) => thrown);
  return (error as { code?: unknown }).code;
}

async function statusWith(endpoint: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return (await fetch(endpoint, { method: 'POST', headers, body })).status;
}
