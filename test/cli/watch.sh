#!/usr/bin/env bash
# capstan run --watch: who may look, who may stop, and that it ends with the run.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$tmp" || exit 1
have_python || { echo "0 checks: python3 is missing"; exit 0; }
cat >long.yaml <<'YAML'
capstan: 1
bodies: {block: {mass: 1 kg}}
surfaces: {belt: {velocity: 0.1 m/s}}
springs: {spring: {between: [ground, block], stiffness: 10 N/m}}
contacts: {c: {between: [block, belt], normal: 5 N, friction: {coulomb-static: {mu_s: 0.5, mu_d: 0.3}}}}
run: {until: 1e6 s, output: 0.1 s, step: 1 ms}
YAML
cat >look.py <<'PYTHON'
import gzip, http.client, json, re, socket, struct, subprocess, sys, threading, time

run = subprocess.Popen([sys.argv[1], "run", "long.yaml", "--watch", "--no-report", "-o", "long"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
try:
    found = None
    while not found:
        line = run.stderr.readline()
        assert line, "no address"
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)$", line.strip())
    port, path = int(found[1]), found[2]

    def ask(method, where, host=None):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        c.request(method, where, headers={"Host": host} if host else {})
        r = c.getresponse()
        return r.status, r.read(), r.getheader("X-Snapshot")

    status, page, _ = ask("GET", path)
    assert status == 200 and b"data-live" in page and b"connect-src 'self'" in page
    # Without the token, or under another name, there is nothing; and a GET does not stop anything.
    assert [ask("GET", "/")[0], ask("GET", "/" + "0" * 32 + "/")[0], ask("POST", "/stop")[0], ask("GET", path + "stop")[0], ask("GET", path + "../etc/passwd")[0]] == [404] * 5
    assert ask("GET", path, "evil.example:%d" % port)[0] == 404 and ask("POST", path + "stop", "evil.example")[0] == 404
    assert run.poll() is None

    def snapshot(have):
        for _ in range(200):
            status, body, number = ask("GET", path + "data?%d" % have)
            if status == 200:
                raw = gzip.decompress(body)
                return json.loads(raw[4:4 + struct.unpack("<I", raw[:4])[0]])["runs"][0], int(number)
            assert status == 204
            time.sleep(0.05)
        raise AssertionError("no snapshot")

    first, one = snapshot(0)
    second, two = snapshot(one)
    assert first["status"] == second["status"] == "running" and two > one and second["run"]["reached"] > first["run"]["reached"]
    # Nobody but this computer can reach it.
    lines = [l.split() for l in open("/proc/net/tcp").read().splitlines()[1:]]
    assert [l[1].split(":")[0] for l in lines if l[3] == "0A" and int(l[1].split(":")[1], 16) == port] == ["0100007F"]
    # Who asks byte by byte, or takes nothing of what there is, holds up neither the others nor the run's end.
    slow, deaf = socket.create_connection(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    def drip():
        try:
            while True:
                slow.sendall(b"G")
                time.sleep(0.3)
        except OSError:
            pass
    threading.Thread(target=drip, daemon=True).start()
    time.sleep(0.5)
    assert ask("POST", path + "stop")[0] == 200
    last, _ = snapshot(two)
    assert last["status"] in ("running", "stopped")
    assert run.wait(20) == 1
    try:
        ask("GET", path)
    except OSError:
        pass
    else:
        raise AssertionError("it still answers")
    assert "stopped on request" in run.stderr.read()
finally:
    run.kill()
PYTHON
checks=$((checks + 1))
python3 look.py "$CAPSTAN" || fail "the page that follows a run"
# Unless asked, nothing listens; and nobody who watches means nobody to wait for.
sed -i 's/1e6 s/0.5 s/' long.yaml
start=$(date +%s%N)
expect 0 run long.yaml --watch --no-report -o short
has "$err" "to follow it: http://127.0.0.1:"
[ $((($(date +%s%N) - start) / 1000000)) -lt 2500 ] || fail "a run that nobody watches waits"
expect 0 run long.yaml --no-report -o short
has_no "$err" "127.0.0.1"
finish
