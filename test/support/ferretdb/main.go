// A server for tests that speaks MongoDB's wire protocol and keeps its data in SQLite files: FerretDB, embedded.
//
//	ferretdb [-port N] [-data FOLDER]
//
// It prints where it listens once it does, and ends on SIGTERM or when its standard input closes, so that no test
// leaves it behind.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	port := flag.Int("port", 0, "port on 127.0.0.1; 0 takes a free one")
	data := flag.String("data", "", "folder of the data; a temporary one, removed at the end, unless given")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := serve(ctx, *port, *data); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, port int, data string) error {
	// The socket lives in a folder of its own: a socket's path must be short.
	temporary, err := os.MkdirTemp("", "ferretdb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if data == "" {
		data = temporary
	}
	socket := filepath.Join(temporary, "socket")
	// Embedded, FerretDB never reports telemetry.
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: socket},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + data + "/",
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	go oneAtATime(ctx, listener, socket)
	fmt.Printf("listening mongodb://%s/\n", listener.Addr())
	return server.Run(ctx)
}
