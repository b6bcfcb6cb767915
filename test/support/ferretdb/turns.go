package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
)

// moreToCome is the flag of a message (OP_MSG, 2013) that is not answered.
const moreToCome = 1 << 1

const opMsg = 2013

// oneAtATime passes each client's commands to the server, no two at once. MongoDB changes a document atomically, this
// FerretDB reads it and then writes it; in turns it is as atomic as what it stands for.
func oneAtATime(ctx context.Context, listener net.Listener, socket string) {
	context.AfterFunc(ctx, func() { listener.Close() })
	var turn sync.Mutex
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("unix", socket)
			if err != nil {
				return
			}
			defer server.Close()
			// The server would wait for its clients to leave.
			context.AfterFunc(ctx, func() { client.Close() })
			for {
				request, err := readMessage(client)
				if err != nil {
					return
				}
				answer, err := exchange(&turn, server, request)
				if err != nil {
					return
				}
				if _, err = client.Write(answer); err != nil {
					return
				}
			}
		}()
	}
}

// exchange sends one request and waits for its answer, empty where none is to come. A greeting waits for no turn: a
// client takes a server for dead that doesn't answer it while a long command runs, and MongoDB does.
func exchange(turn *sync.Mutex, server net.Conn, request []byte) ([]byte, error) {
	if !isGreeting(request) {
		turn.Lock()
		defer turn.Unlock()
	}
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(request[12:]) == opMsg && binary.LittleEndian.Uint32(request[16:])&moreToCome != 0 {
		return nil, nil
	}
	return readMessage(server)
}

// isGreeting tells whether a request (OP_MSG: flags, a section's kind, a document; or the old OP_QUERY of a handshake)
// asks only who is there: by the name of its command, the document's first.
func isGreeting(request []byte) bool {
	const opQuery = 2004
	if binary.LittleEndian.Uint32(request[12:]) == opQuery {
		return true
	}
	const firstName = 16 + 4 + 1 + 4 + 1
	for _, name := range []string{"hello", "ping", "isMaster", "ismaster"} {
		if bytes.HasPrefix(request[min(firstName, len(request)):], append([]byte(name), 0)) {
			return true
		}
	}
	return false
}

// readMessage reads one message of the wire protocol: its first four bytes are its length.
func readMessage(from io.Reader) ([]byte, error) {
	head := make([]byte, 20)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	message := make([]byte, binary.LittleEndian.Uint32(head))
	copy(message, head)
	_, err := io.ReadFull(from, message[len(head):])
	return message, err
}
