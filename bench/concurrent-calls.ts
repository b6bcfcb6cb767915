import { Agent, request } from 'node:http';

/*
 * Sends the same call, 20 concurrent, until this process is stopped. Reports each answer. It is a separate
 * process, so that it doesn't slow down the measuring process.
 */

const agent = new Agent({ keepAlive: true, maxSockets: 20 });

process.once('message', ({ port, token, body }: { port: number; token: string; body: string }) => {
  const bytes = Buffer.from(body);
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': bytes.length,
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-11-25',
  };
  const send = () => {
    const clientRequest = request({ port, host: '127.0.0.1', path: '/api/mcp/v1', method: 'POST', agent, headers });
    clientRequest.once('response', (response) => response.resume());
    // A connection that the service cuts is followed by another one.
    clientRequest.once('error', () => undefined);
    clientRequest.once('close', () => {
      if (!process.connected) return;
      // The parent may have just left.
      process.send!('answered', undefined, undefined, () => undefined);
      send();
    });
    clientRequest.end(bytes);
  };
  for (let call = 0; call < 20; call++) send();
});
process.on('disconnect', () => process.exit(0));
