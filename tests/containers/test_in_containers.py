"""The store and the feed on servers in containers. Run by ``make test-containers``; needs a Docker engine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from testcontainers.community.postgres import PostgresContainer
from testcontainers.community.redis import RedisContainer

ROOT = Path(__file__).parents[2]
POSTGRES = os.environ.get("KIBITZ_TEST_POSTGRES_IMAGE", "postgres:18")
REDIS = os.environ.get("KIBITZ_TEST_REDIS_IMAGE", "redis:8")


@pytest.mark.containers
@pytest.mark.timeout(3600)
def test_the_store_and_the_feed_hold_on_servers_in_containers():
    with PostgresContainer(POSTGRES, driver=None) as postgres, RedisContainer(REDIS) as redis:
        urls = {
            "KIBITZ_TEST_DATABASE_URL": postgres.get_connection_url(),
            "KIBITZ_TEST_REDIS_URL": f"redis://{redis.get_container_host_ip()}:{redis.get_exposed_port(6379)}",
        }
        outcome = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/store", "tests/engine"],
            cwd=ROOT,
            env=os.environ | urls,
            check=False,
        )
    assert outcome.returncode == 0
