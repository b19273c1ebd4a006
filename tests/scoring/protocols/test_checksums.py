from scoring.protocols import checksums

HOW = (
    "Protocol versions and prompts never change once released: write the next version instead. "
    "A new one is recorded by python -m scoring.protocols.checksums"
)


class TestRecord:
    def test_every_version_and_prompt_is_as_it_was_recorded(self):
        assert checksums.changed(checksums.current(), checksums.recorded()) == [], HOW

    def test_knows_the_direct_judge_and_what_it_is_made_of(self):
        assert {
            "kinds/judging/direct/v1.py",
            "kinds/judging/asking_v1.py",
            "kinds/judging/prompts_v1.py",
            "protocols/reading.py",
            "protocols/untrusted.py",
        } <= set(checksums.recorded())


class TestChanged:
    def test_names_what_changed_what_is_gone_and_what_is_new(self, tmp_path):
        record = tmp_path / "record.json"
        for name in ("v1.py", "prompts_v1.py", "notes.py"):
            (tmp_path / name).write_text("one")
        checksums.write(tmp_path, record)
        (tmp_path / "v1.py").write_text("two")
        (tmp_path / "prompts_v1.py").unlink()
        (tmp_path / "v2.py").write_text("new")

        found = checksums.changed(checksums.current(tmp_path), checksums.recorded(record))

        assert found == ["prompts_v1.py", "v1.py", "v2.py"]
