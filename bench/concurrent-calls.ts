import { Agent, request } from 'node:http';

/*
 * Sends requests until this process is stopped: each again as soon as it is answered. Reports each answer. It is a separate
 * process, so that it doesn't slow down the measuring process.
 */

/** A request that is sent again and again. */
export interface RepeatedRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string;
}

process.once('message', ({ port, requests }: { port: number; requests: RepeatedRequest[] }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: requests.length });
  const send = ({ method, path, headers, body }: RepeatedRequest) => {
    const length = body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const clientRequest = request({ port, host: '127.0.0.1', path, method, agent, headers: { ...headers, ...length } });
    clientRequest.once('response', (response) => response.resume());
    // A connection that the service cuts is followed by another one.
    clientRequest.once('error', () => undefined);
    clientRequest.once('close', () => {
      if (!process.connected) return;
      // The parent may have just left.
      process.send!('answered', undefined, undefined, () => undefined);
      send({ method, path, headers, body });
    });
    clientRequest.end(body);
  };
  for (const repeated of requests) send(repeated);
});
process.on('disconnect', () => process.exit(0));
