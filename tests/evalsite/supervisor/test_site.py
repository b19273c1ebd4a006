import pytest

from evalsite.supervisor import places, site


class TestAddress:
    @pytest.mark.parametrize(
        ("host", "bind", "url"),
        [
            ("127.0.0.1", "127.0.0.1:8000", "http://localhost:8000/"),
            ("0.0.0.0", "0.0.0.0:8000", "http://localhost:8000/"),  # noqa: S104
            ("::1", "[::1]:8000", "http://localhost:8000/"),
            ("192.0.2.7", "192.0.2.7:8000", "http://192.0.2.7:8000/"),
        ],
    )
    def test_says_where_to_listen_and_what_to_open(self, host, bind, url):
        address = site.ServerAddress(host, 8000)

        assert (address.bind, address.url) == (bind, url)

    def test_tells_whether_others_can_reach_it(self):
        assert not site.ServerAddress("127.0.0.1", 8000).is_open_to_others
        assert site.ServerAddress("0.0.0.0", 8000).is_open_to_others  # noqa: S104


class TestWeb:
    def test_is_one_process_of_eight_threads_without_a_control_socket(self, tmp_path):
        argv = list(
            site.web(places.SitePlaces(tmp_path), site.ServerAddress("127.0.0.1", 8000)).argv
        )

        assert "--no-control-socket" in argv
        for option, value in (
            ("--workers", "1"),
            ("--threads", "8"),
            ("--worker-class", "evalsite.front.worker.Worker"),
        ):
            assert argv[argv.index(option) + 1] == value

    def test_keeps_lines_open_longer_than_a_proxy(self):
        assert site.KEEP_ALIVE > 60


class TestWorkers:
    def test_are_three_queues_and_the_sweeper_without_a_pool(self, tmp_path):
        found = site.workers(places.SitePlaces(tmp_path))

        assert [list(child.argv[2:]) for child in found] == [
            ["work", "default"],
            ["work", "insight"],
            ["work", "runs"],
            ["work", "runs"],
            ["sweep"],
        ]
        assert {child.environment["DATABASE_POOL"] for child in found} == {"0"}


class TestPrepareCommand:
    def test_can_leave_the_demo_out(self):
        assert "--no-demo" in site.prepare_command(demo=False)
        assert "--no-demo" not in site.prepare_command(demo=True)

    def test_says_when_the_workers_to_come_are_all_there_are(self):
        assert "--alone" in site.prepare_command(demo=True, alone=True)
        assert "--alone" not in site.prepare_command(demo=True)

    def test_tells_where_the_site_is(self):
        assert "--site=http://localhost:8000/" in site.prepare_command(
            demo=True, site="http://localhost:8000/"
        )
