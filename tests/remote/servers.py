"""Servers of ClickHouse on loopback, for the checks of this folder.

18.16 is Debian 12's clickhouse-server.  A current release is libchdb.so of npm's
@chdb/lib-linux-x64-gnu, which LIBCHDB names; chlocal.c makes it listen.  Each server has
the users ptool, viewer (read only) and default, and a cluster `ptool` over all of them.
"""
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PASSWORD = "sec'ret"

CONFIG = """<yandex>
 <logger><level>warning</level><log>{dir}/server.log</log><errorlog>{dir}/error.log</errorlog><console>0</console></logger>
 <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
 <interserver_http_port>{inter}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
 <listen_host>127.0.0.1</listen_host>{tls}
 <uncompressed_cache_size>0</uncompressed_cache_size><mark_cache_size>16777216</mark_cache_size>
 <path>{dir}/data/</path><tmp_path>{dir}/tmp/</tmp_path><user_files_path>{dir}/files/</user_files_path>
 <format_schema_path>{dir}/format/</format_schema_path>
 <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
 <mlock_executable>false</mlock_executable>
 <remote_servers><ptool>{shards}</ptool></remote_servers>
</yandex>
"""
SHARD = ("<shard><replica><host>127.0.0.1</host><port>{tcp}</port><user>ptool</user>"
         "<password>{password}</password></replica></shard>")
USERS = """<yandex><profiles><default></default><readonly><readonly>1</readonly></readonly></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
<ptool><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></ptool>
<viewer><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>readonly</profile><quota>default</quota></viewer></users>
<quotas><default/></quotas></yandex>
"""
LISTEN = ("SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; SELECT sleepEachRow(1) FROM numbers(7200) "
          "SETTINGS max_block_size=1, function_sleep_max_microseconds_per_block=100000000000 FORMAT Null")


def free_ports(n):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Server:
    """One process; `http` is its port."""

    def __init__(self, folder, ports, shards, argv):
        self.folder, (self.http, self.tcp, inter), self.process = folder, ports, None
        for name in ("data", "tmp", "files", "format"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        config = os.path.join(folder, "config.xml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(dir=folder, http=self.http, tcp=self.tcp, inter=inter, tls="", shards=shards))
        with open(os.path.join(folder, "users.xml"), "w", encoding="utf-8") as file:
            file.write(USERS.format(password=PASSWORD))
        self.argv = [word.format(config=config, data=os.path.join(folder, "data")) for word in argv]

    def start(self):
        with open(os.path.join(self.folder, "out.txt"), "ab") as out:
            self.process = subprocess.Popen(self.argv, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/", timeout=5):
                    return
            except (OSError, urllib.error.URLError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise RuntimeError(f"no server came up; see {self.folder}")

    def stop(self, how=signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()

    def ask(self, sql, database="default", data=b""):
        """The answer as a text; an error is an exception with the server's words."""
        url = f"http://127.0.0.1:{self.http}/?database={database}"
        body = sql.encode() + data
        request = urllib.request.Request(url, data=body, headers={"X-ClickHouse-User": "ptool", "X-ClickHouse-Key": PASSWORD})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode(errors="surrogateescape")
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")[:500]) from None


def kinds(folder):
    """{release: argv or why it cannot be tried}"""
    found = {}
    clickhouse = shutil.which("clickhouse-server")
    found["18.16"] = ([clickhouse, "--config-file={config}"] if clickhouse
                      else "clickhouse-server is not installed (scripts/deps.sh clickhouse)")
    library = os.environ.get("LIBCHDB")
    if not library:
        found["26.7"] = "LIBCHDB does not name npm's libchdb.so"
        return found
    launcher = os.path.join(folder, "chlocal")
    subprocess.run([os.environ.get("CC", "cc"), "-o", launcher, os.path.join(HERE, "chlocal.c"), "-ldl"], check=True)
    found["26.7"] = [launcher, "--config-file", "{config}", "--path", "{data}", "-q", LISTEN]
    return found


def start(folder, argv, n=2):
    """n servers of one cluster, which are up."""
    ports = free_ports(3 * n)
    ports = [ports[3 * i:3 * i + 3] for i in range(n)]
    shards = "".join(SHARD.format(tcp=p[1], password=PASSWORD) for p in ports)
    servers = [Server(os.path.join(folder, f"n{i}"), p, shards, argv) for i, p in enumerate(ports)]
    for server in servers:
        server.start()
    return servers


def make_tables(ptool, servers, database, *options):
    """A database with the tables of `ptool schema`; of a cluster where several servers are given."""
    if len(servers) > 1:
        options += ("--cluster", "ptool")
    ddl = subprocess.run([ptool, "schema", "clickhouse", "--database", database, *options],
                         check=True, capture_output=True, text=True).stdout
    for server in servers:
        server.ask(f"CREATE DATABASE {database}")
    for server in servers:
        for statement in ddl.split(";\n"):
            if statement.strip():
                server.ask(statement, database)
