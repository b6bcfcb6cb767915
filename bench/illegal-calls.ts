import { Agent, request } from 'node:http';

/*
 * Sends one illegal call, 20 at once, until the process is ended. It is a process of its own, so that it does not slow down
 * the measuring process. It reports each answer.
 */

const agent = new Agent({ keepAlive: true, maxSockets: 20 });

process.once('message', ({ port, token, body }: { port: number; token: string; body: string }) => {
  const bytes = Buffer.from(body);
  const headers = {
    ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': bytes.length },
    ...{ Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
  };
  const send = () => {
    const sent = request({ port, host: '127.0.0.1', path: '/api/mcp/v1', method: 'POST', agent, headers });
    sent.once('response', (response) => response.resume());
    // A connection that the service cuts is followed by another one.
    sent.once('error', () => undefined);
    sent.once('close', () => {
      if (!process.connected) return;
      process.send!('answered');
      send();
    });
    sent.end(bytes);
  };
  for (let call = 0; call < 20; call++) send();
});
process.on('disconnect', () => process.exit(0));
