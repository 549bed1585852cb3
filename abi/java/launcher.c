/* The program that an engine in Java becomes: one file, which holds the engine's classes and starts a Java virtual
 * machine of this system for them. The `java` of the system cannot be that file, since it looks for its library beside
 * itself; and classes that lay in another file would be trusted without being looked at.
 *
 * Compiled by the forge with: -I of a JDK (jni.h), LIBJVM the path of its libjvm.so, RELEASE the version of Java that the
 * classes are of, and classes.bin in the working folder. Its first class is sandboard.Loader, which finds the others in
 * all of it (Loader.java says how they lie).
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <jni.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Where systems keep them, for where the one that was there at build time is gone. */
#define HOMES "/usr/lib/jvm/*"
#define IN_HOME "/lib/server/libjvm.so"

/* Of the address space, what is not for the heap: the machine itself and the file of its modules (about 160 MiB),
 * shared classes, code, class data, stacks. */
#define BESIDE_HEAP_MIB 352
#define LEAST_HEAP_MIB 16
/* Without a limit, as on a command line. */
#define USUAL_HEAP_MIB 256

/* Searches recurse. */
#define STACK_BYTES (8 << 20)

__asm__(".section .rodata\n"
        ".balign 16\n"
        "sandboard_classes: .incbin \"classes.bin\"\n"
        "sandboard_classes_end: .byte 0\n"
        ".previous\n");
extern const unsigned char sandboard_classes[], sandboard_classes_end[];

static const char *const FAILED = "the Java virtual machine does not start:";

/* A number of four bytes, the highest first. */
static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* What of the memory that the process may have is for objects, in MiB. */
static unsigned long heap_mib(void)
{
    const unsigned long least = BESIDE_HEAP_MIB + LEAST_HEAP_MIB;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return USUAL_HEAP_MIB;
    unsigned long all = limit.rlim_cur >> 20;
    if (all < least) {
        fprintf(stderr, "%s it needs %lu MiB of address space and has %lu: give it more memory_bytes\n", FAILED,
                least, all);
        exit(3);
    }
    return all - BESIDE_HEAP_MIB;
}

/* Whether what is in this home of a Java virtual machine runs classes of that release. */
static int is_new_enough(const char *home)
{
    static const char VERSION[] = "JAVA_VERSION=\"";
    char line[PATH_MAX];
    int release = 0;
    snprintf(line, sizeof line, "%s/release", home);
    FILE *file = fopen(line, "r");
    if (file == NULL)
        return 0;
    while (release == 0 && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, VERSION, sizeof VERSION - 1) == 0)
            release = atoi(line + sizeof VERSION - 1);
    fclose(file);
    return release >= RELEASE;
}

/* The machine that it was built for, else the first by name that will do. */
static void *library_of_machine(void)
{
    void *library = dlopen(LIBJVM, RTLD_NOW | RTLD_GLOBAL);
    if (library != NULL)
        return library;
    /* Why that one is not to be had tells more than why the last of the others is not. */
    const char *error = dlerror();
    char *why = strdup(error == NULL ? LIBJVM : error);
    glob_t homes;
    if (glob(HOMES, 0, NULL, &homes) == 0) {
        for (size_t at = 0; library == NULL && at < homes.gl_pathc; at++) {
            char file[PATH_MAX];
            snprintf(file, sizeof file, "%s" IN_HOME, homes.gl_pathv[at]);
            if (is_new_enough(homes.gl_pathv[at]))
                library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
        }
        globfree(&homes);
    }
    if (library == NULL)
        fprintf(stderr, "%s %s, and no other of Java %d or newer is in " HOMES "\n", FAILED,
                why == NULL ? LIBJVM : why, RELEASE);
    free(why);
    return library;
}

/* The channel to the host is another descriptor than standard output, which is standard error from now on: whatever the
 * machine prints there, a warning, say, is no line to the host. -1: it could not be so. */
static int channel_apart(void)
{
    int channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return channel == -1 || dup2(STDERR_FILENO, STDOUT_FILENO) == -1 ? -1 : channel;
}

/* What Java calls FileDescriptor.out, and nothing else of it, is the channel. */
static void tell_channel(JNIEnv *env, int channel)
{
    jclass class = (*env)->FindClass(env, "java/io/FileDescriptor");
    jfieldID out = class == NULL ? NULL : (*env)->GetStaticFieldID(env, class, "out", "Ljava/io/FileDescriptor;");
    /* The system's own library looks it up by this name, too. */
    jfieldID descriptor = out == NULL ? NULL : (*env)->GetFieldID(env, class, "fd", "I");
    if (descriptor != NULL)
        (*env)->SetIntField(env, (*env)->GetStaticObjectField(env, class, out), descriptor, channel);
}

static jint start(JavaVM **machine, JNIEnv **env)
{
    void *library = library_of_machine();
    if (library == NULL)
        return JNI_ERR;
    jint (*create)(JavaVM **, void **, void *) =
        (jint (*)(JavaVM **, void **, void *))dlsym(library, "JNI_CreateJavaVM");
    if (create == NULL) {
        fprintf(stderr, "%s %s\n", FAILED, dlerror());
        return JNI_ERR;
    }
    char heap[32];
    snprintf(heap, sizeof heap, "-Xmx%lum", heap_mib());
    JavaVMOption options[] = {
        {heap, NULL},
        {"-Xms8m", NULL},
        /* One thread collects, and it is the one that runs. */
        {"-XX:+UseSerialGC", NULL},
        /* Reserved, whether it is used or not. */
        {"-XX:ReservedCodeCacheSize=32m", NULL},
        {"-XX:CompressedClassSpaceSize=16m", NULL},
        {"-Xss1m", NULL},
        /* Nothing that looks for files, signals or other processes. */
        {"-Djava.class.path=/none", NULL},
        {"-Dfile.encoding=UTF-8", NULL},
        {"-XX:-UsePerfData", NULL},
        {"-XX:+DisableAttachMechanism", NULL},
        {"-XX:-UseContainerSupport", NULL},
        {"-XX:-CreateCoredumpOnCrash", NULL},
        {"-XX:+ErrorFileToStderr", NULL},
        {"-Xrs", NULL},
    };
    JavaVMInitArgs arguments = {JNI_VERSION_10, sizeof options / sizeof *options, options, JNI_FALSE};
    jint failure = create(machine, (void **)env, &arguments);
    if (failure != JNI_OK)
        fprintf(stderr, "%s JNI_CreateJavaVM answers %d\n", FAILED, (int)failure);
    return failure;
}

/* The main function of the class that sandboard.Loader.engine(classes) brings. */
static void play(JNIEnv *env)
{
    jsize bytes = (jsize)(sandboard_classes_end - sandboard_classes);
    const unsigned char *first = sandboard_classes + 4 + number(sandboard_classes);
    jclass loader = (*env)->DefineClass(env, "sandboard/Loader", NULL, (const jbyte *)first + 4, (jsize)number(first));
    if (loader == NULL)
        return;
    jmethodID find = (*env)->GetStaticMethodID(env, loader, "engine", "([B)Ljava/lang/Class;");
    jbyteArray classes = find == NULL ? NULL : (*env)->NewByteArray(env, bytes);
    if (classes == NULL)
        return;
    (*env)->SetByteArrayRegion(env, classes, 0, bytes, (const jbyte *)sandboard_classes);
    jclass engine = (*env)->CallStaticObjectMethod(env, loader, find, classes);
    if (engine == NULL)
        return;
    jmethodID begin = (*env)->GetStaticMethodID(env, engine, "main", "([Ljava/lang/String;)V");
    jclass text = begin == NULL ? NULL : (*env)->FindClass(env, "java/lang/String");
    jobjectArray arguments = text == NULL ? NULL : (*env)->NewObjectArray(env, 0, text, NULL);
    if (arguments != NULL)
        (*env)->CallStaticVoidMethod(env, engine, begin, arguments);
}

/* What was thrown to nobody: where, and in the last line what. */
static void tell(JNIEnv *env, jthrowable thrown)
{
    (*env)->ExceptionDescribe(env);
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jmethodID to_string = object == NULL ? NULL : (*env)->GetMethodID(env, object, "toString", "()Ljava/lang/String;");
    jstring text = to_string == NULL ? NULL : (*env)->CallObjectMethod(env, thrown, to_string);
    const char *letters = text == NULL ? NULL : (*env)->GetStringUTFChars(env, text, NULL);
    if (letters != NULL)
        fprintf(stderr, "%s\n", letters);
}

static void *live(void *channel)
{
    JavaVM *machine = NULL;
    JNIEnv *env = NULL;
    if (start(&machine, &env) != JNI_OK)
        exit(3);
    tell_channel(env, *(int *)channel);
    if (!(*env)->ExceptionCheck(env))
        play(env);
    jthrowable thrown = (*env)->ExceptionOccurred(env);
    if (thrown != NULL) {
        tell(env, thrown);
        exit(1);
    }
    exit(0);
}

int main(void)
{
    int channel = channel_apart();
    if (channel == -1) {
        fprintf(stderr, "%s no descriptor for the channel to the host\n", FAILED);
        return 3;
    }
    /* Each thread's own arena would reserve 64 MiB. */
    mallopt(M_ARENA_MAX, 1);
    /* Not the first thread, whose stack the machine would look up in /proc, of which there is none. */
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0
        || pthread_create(&thread, &attributes, live, &channel) != 0) {
        fprintf(stderr, "%s no thread\n", FAILED);
        return 3;
    }
    pthread_join(thread, NULL);
    return 3;
}
